"""Validation of request bodies: `controllers/v1/types.ts` of Firecrawl's repository in July 2025.

Messages about `extract` and its format use the words from before `json` was added, as in the recordings. Members that no tool
argument can produce are only known by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from soundstage.kernels.engines.javascript import UNDEFINED, is_number
from soundstage.kernels.engines.web.addresses import parsed, scheme_of
from soundstage.kernels.firecrawl.rules import zod
from soundstage.kernels.firecrawl.rules.errors import Upstream
from soundstage.kernels.firecrawl.rules.zod import Check, Issue, Path
from soundstage.kernels.types import Arguments

_UNKNOWN = "Unrecognized key in body -- please review the v1 API documentation for request body changes"
_HAS_SCHEME = re.compile(r"[^.:]+://", re.IGNORECASE)
_TOP_LEVEL = re.compile(
    r"(\.[a-zA-Z0-9\-\u0400-\u04FF\u0500-\u052F\u2DE0-\u2DFF\uA640-\uA69F]{2,}|\.xn--[a-zA-Z0-9-]{1,})(:\d+)?([/?#]|$)",
    re.IGNORECASE,
)
_MOST_ACTIONS, _LONGEST_WAIT_MS = 50, 60_000
FORMATS = (
    "markdown",
    "html",
    "rawHtml",
    "links",
    "screenshot",
    "screenshot@fullPage",
    "extract",
    "json",
    "changeTracking",
)


def with_scheme(url: str) -> str:
    """Add http to a URL without a scheme."""
    return url if _HAS_SCHEME.match(url) else f"http://{url}"


def url(value: Any, path: Path) -> list[Issue]:
    """Validate a URL; one without a scheme counts as http."""
    if not isinstance(value, str):
        return zod.string(value, path)
    text = with_scheme(value)
    if scheme_of(text) is None:
        return [{"validation": "url", "code": "invalid_string", "message": "Invalid url", "path": list(path)}]
    if not re.match(r"https?://", text):
        words = {"code": "invalid_string", "message": "URL uses unsupported protocol"}
        return [{"validation": "regex", **words, "path": list(path)}]
    if not _TOP_LEVEL.search(text):
        return [zod.custom("URL must have a valid top-level domain or be a valid path", *path)]
    if parsed(text) is None or text.split(".")[0].count(":") != 1:
        return [zod.custom("Invalid URL", *path)]
    return []


def _formats(value: Any, path: Path) -> list[Issue]:
    issues = zod.array(zod.one_of(*FORMATS))(value, path)

    def rules() -> list[Issue]:
        results = []
        if "screenshot" in value and "screenshot@fullPage" in value:
            results.append(zod.custom("You may only specify either screenshot or screenshot@fullPage", *path))
        if "changeTracking" in value and "markdown" not in value:
            words = "The changeTracking format requires the markdown format to be specified as well"
            results.append(zod.custom(words, *path))
        return results

    return zod.refined(issues, rules)


_ACTIONS: dict[str, dict[str, Check]] = {
    "wait": {"milliseconds": zod.optional(zod.number(whole=True, above=0)), "selector": zod.optional(zod.string)},
    "click": {"selector": zod.string},
    "screenshot": {"fullPage": zod.optional(zod.boolean)},
    "write": {"text": zod.string},
    "press": {"key": zod.string},
    "scroll": {"direction": zod.optional(zod.one_of("up", "down")), "selector": zod.optional(zod.string)},
    "scrape": {},
    "executeJavascript": {"script": zod.string},
    "pdf": {},
}


def _action(value: Any, path: Path) -> list[Issue]:
    """Validate an action, which has one of several types. If no type matches, zod's list of attempts is omitted."""
    shape = _ACTIONS.get(value["type"]) if isinstance(value, dict) and isinstance(value.get("type"), str) else None
    issues = zod.members(shape)(value, path) if shape is not None else None
    if issues is None or zod.unread(issues):
        return [{"code": "invalid_union", "unionErrors": [], "path": list(path), "message": "Invalid input"}]
    if value["type"] == "wait" and ("milliseconds" in value) == ("selector" in value):
        words = "Either 'milliseconds' or 'selector' must be provided, but not both."
        return [*issues, zod.custom(words, *path)]
    return issues


def _actions(value: Any, path: Path) -> list[Issue]:
    issues = zod.array(_action)(value, path)

    def rules() -> list[Issue]:
        results = []
        if len(value) > _MOST_ACTIONS:
            results.append(zod.custom(f"Number of actions cannot exceed {_MOST_ACTIONS}", *path))
        if waiting_ms(value) > _LONGEST_WAIT_MS:
            words = "Total wait time (waitFor + wait actions) cannot exceed 60 seconds"
            results.append(zod.custom(words, *path))
        return results

    return zod.refined(issues, rules)


def waiting_ms(actions: list[dict[str, Any]]) -> int:
    """Return the waiting time of actions; waiting for an element counts as one second."""
    waits = [action for action in actions if action.get("type") == "wait"]
    return sum(int(w["milliseconds"]) if "milliseconds" in w else 1000 for w in waits)


def _any(value: Any, path: Path) -> list[Issue]:
    return []


_STRINGS = zod.optional(zod.array(zod.string))
_BOOLEAN = zod.optional(zod.boolean)
_EXTRACT = zod.members(
    {
        "mode": zod.optional(zod.one_of("llm")),
        "schema": _any,
        "systemPrompt": zod.optional(zod.string),
        "prompt": zod.optional(zod.string),
        "temperature": zod.optional(zod.number()),
        "agent": _any,
    },
    _UNKNOWN,
)
_READING: dict[str, Check] = {
    "formats": zod.optional(_formats),
    "headers": _any,
    "includeTags": _STRINGS,
    "excludeTags": _STRINGS,
    "onlyMainContent": _BOOLEAN,
    "timeout": zod.optional(zod.number(whole=True, above=0)),
    "waitFor": zod.optional(zod.number(whole=True, least=0, most=60000)),
    "extract": zod.optional(_EXTRACT),
    "jsonOptions": zod.optional(_EXTRACT),
    "changeTrackingOptions": _any,
    "mobile": _BOOLEAN,
    "parsePDF": _BOOLEAN,
    "actions": zod.optional(_actions),
    "location": zod.optional(zod.members({"country": zod.optional(zod.string), "languages": _STRINGS})),
    "geolocation": _any,
    "skipTlsVerification": _BOOLEAN,
    "removeBase64Images": _BOOLEAN,
    "fastMode": _BOOLEAN,
    "useMock": _any,
    "blockAds": _BOOLEAN,
    "proxy": zod.optional(zod.one_of("basic", "stealth", "auto")),
    "maxAge": zod.optional(zod.number(whole=True, least=0)),
    "storeInCache": _BOOLEAN,
    **dict.fromkeys(("__experimental_cache", "__searchPreviewToken", "__experimental_omce"), _any),
}
_SENDER: dict[str, Check] = dict.fromkeys(("origin", "integration"), _any)


def _reading_rules(options: dict[str, Any], *path: str) -> list[Issue]:
    results = []
    formats = options.get("formats") or []
    if ("extract" in formats) != ("extract" in options):
        words = "When 'extract' format is specified, 'extract' options must be provided, and vice versa"
        results.append(zod.custom(words, *path))
    wait, timeout = options.get("waitFor"), options.get("timeout")
    if is_number(wait) and is_number(timeout) and wait and timeout and wait > timeout / 2:
        results.append(zod.custom("waitFor must not exceed half of timeout", *path, "waitFor"))
    return results


_SCRAPE: dict[str, Check] = {**_READING, "url": url, "agent": _any, **_SENDER}
_CRAWLER: dict[str, Check] = {
    "includePaths": _STRINGS,
    "excludePaths": _STRINGS,
    "maxDepth": zod.optional(zod.number()),
    "maxDiscoveryDepth": zod.optional(zod.number()),
    "limit": zod.optional(zod.number()),
    **dict.fromkeys(("allowBackwardLinks", "crawlEntireDomain", "allowExternalLinks", "allowSubdomains"), _BOOLEAN),
    **dict.fromkeys(("ignoreRobotsTxt", "ignoreSitemap", "deduplicateSimilarURLs", "ignoreQueryParameters"), _BOOLEAN),
    "regexOnFullURL": _BOOLEAN,
    "delay": zod.optional(zod.number(above=0)),
}


def _webhook(value: Any, path: Path) -> list[Issue]:
    hook = {"url": value} if isinstance(value, str) else value
    return zod.members({"url": _plain_url, **dict.fromkeys(("headers", "metadata", "events"), _any)}, _UNKNOWN)(
        hook, path
    )


def _plain_url(value: Any, path: Path) -> list[Issue]:
    if not isinstance(value, str):
        return zod.string(value, path)
    bad = {"validation": "url", "code": "invalid_string", "message": "Invalid url", "path": list(path)}
    return [] if scheme_of(value) is not None else [bad]


_CRAWL: dict[str, Check] = {
    **_CRAWLER,
    "url": url,
    **_SENDER,
    "scrapeOptions": zod.optional(zod.members(_READING, _UNKNOWN)),
    "webhook": zod.optional(_webhook),
    "maxConcurrency": _any,
    "zeroDataRetention": _any,
}
_MAP: dict[str, Check] = {
    **_CRAWLER,
    "url": url,
    **_SENDER,
    "includeSubdomains": _BOOLEAN,
    "search": zod.optional(zod.string),
    "sitemapOnly": _BOOLEAN,
    "limit": zod.optional(zod.number(least=1, most=30000)),
    **dict.fromkeys(("timeout", "useMock", "filterByPath", "useIndex"), _any),
}
_SEARCH: dict[str, Check] = {
    "query": zod.string,
    "limit": zod.optional(zod.number(whole=True, above=0, most=100)),
    **dict.fromkeys(("tbs", "filter", "lang", "country"), zod.optional(zod.string)),
    "location": _any,  # the tool's schema has an object, today's API a string; both were accepted
    "timeout": zod.optional(zod.number(whole=True, above=0)),
    "scrapeOptions": zod.optional(zod.members(_READING, _UNKNOWN)),
}
_RESEARCH: dict[str, Check] = {
    "query": zod.optional(zod.string),
    "maxDepth": zod.optional(zod.number(least=1, most=12)),
    "maxUrls": zod.optional(zod.number(least=1, most=1000)),
    "timeLimit": zod.optional(zod.number(least=30, most=600)),
}
_LLMSTXT: dict[str, Check] = {
    "url": url,
    "maxUrls": zod.optional(zod.number(least=1, most=5000)),
    "showFullText": _BOOLEAN,
    "cache": _BOOLEAN,
}
_EXTRACTION: dict[str, Check] = {
    "urls": zod.optional(zod.array(url)),
    "prompt": zod.optional(zod.string),
    "systemPrompt": zod.optional(zod.string),
    "allowExternalLinks": _BOOLEAN,
    "enableWebSearch": _BOOLEAN,
    "includeSubdomains": _BOOLEAN,
}
_MOST_URLS = 10
_DEEPEST = 10


def check_scrape(body: Arguments) -> None:
    """Validate a scrape request.

    Raises:
        Upstream: 400 for an invalid body, like the other checks.
    """
    issues = zod.members(_SCRAPE, _UNKNOWN)(body, ())
    _refuse(zod.refined(issues, lambda: _reading_rules(body)))


def check_map(body: Arguments) -> None:
    """Validate a map request."""
    _refuse(zod.members(_MAP, _UNKNOWN)(body, ()))


def check_crawl(body: Arguments) -> None:
    """Validate a crawl request."""

    def rules() -> list[Issue]:
        result = _reading_rules(body.get("scrapeOptions") or {})
        if depth(with_scheme(body["url"])) > body.get("maxDepth", _DEEPEST):
            result.append(zod.custom("URL depth exceeds the specified maxDepth", "url"))
        return result

    _refuse(_with_rules(zod.members(_CRAWL, _UNKNOWN)(body, ()), rules, body))


def _with_rules(issues: list[Issue], rules: Callable[[], list[Issue]], body: Arguments) -> list[Issue]:
    """Apply rules that need the URL only if the URL is valid."""
    return issues if any(i["path"] == ["url"] for i in issues) else zod.refined(issues, rules)


def check_search(body: Arguments) -> None:
    """Validate a search request."""
    issues = zod.members(_SEARCH)(body, ())
    _refuse(zod.refined(issues, lambda: _reading_rules(body.get("scrapeOptions") or {})))


def check_research(body: Arguments) -> None:
    """Validate a deep research request."""

    def rules() -> list[Issue]:
        return [] if body.get("query") else [zod.custom("Either query or topic must be provided")]

    _refuse(zod.refined(zod.members(_RESEARCH)(body, ()), rules))


def check_llmstxt(body: Arguments) -> None:
    """Validate an llms.txt request."""
    _refuse(zod.members(_LLMSTXT)(body, ()))


def check_extraction(body: Arguments) -> None:
    """Validate an extraction request."""
    issues = zod.members(_EXTRACTION)(body, ())
    if len(body["urls"]) > _MOST_URLS:
        issues.append(zod.custom("Maximum of 10 URLs allowed per request while in beta.", "urls"))
    _refuse(issues)


def depth(address: str) -> int:
    """Return the number of segments of a URL's path; a page called index does not count."""
    result = parsed(address)
    parts = result.path.split("/") if result else []
    return len([part for part in parts if part not in ("", "index.php", "index.html")])


def _refuse(issues: list[Issue]) -> None:
    if issues:
        raise Upstream(400, "Bad Request", issues)


def given(arguments: Arguments, *names: str) -> dict[str, Any]:
    """Return the arguments that belong to a request."""
    return {name: arguments[name] for name in names if arguments.get(name, UNDEFINED) is not UNDEFINED}
