"""The view of Tavily, like its playground: searches, extractions, crawls and maps with their results."""

from __future__ import annotations

import re
from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.servers.results.view import Answer, Engine, Result, show_results
from soundstage.servers.results.view import place_in_results as place
from soundstage.servers.view import Call, Calls, Query, View

__all__ = ["place", "show_calls"]

_VERBS = {"tavily-search": "Search", "tavily-extract": "Extract", "tavily-crawl": "Crawl", "tavily-map": "Map"}
_TROUBLES = {
    "plan_limit": "The plan is used up: HTTP 432.",
    "paygo_limit": "The pay-as-you-go limit is reached: HTTP 433.",
    "rate_limited": "Too many requests: HTTP 429.",
    "server_error": "The API is broken: HTTP 500.",
}

# The server's output format. A text that contains lines like those of another result is shown as several results.
_ANY = r"([\s\S]*?)"
_RESULT = re.compile(
    rf"\n\nTitle: (.*)\nURL: (.*)\nContent: {_ANY}(?:\nRaw Content: {_ANY})?(?:\nFavicon: .*)?"
    r"(?=\n\nTitle: .*\nURL: |\n\nImages:\n|\Z)"
)
_PAGE = re.compile(rf"\n\n\[\d+\] URL: (.*)(?:\nContent: {_ANY})?(?:\nFavicon: .*)?(?=\n\n\[\d+\] URL: |\Z)")
_PICTURE = re.compile(r"\n\n\[\d+\] URL: (.*)")
_UNTOLD = "undefined"


def show_calls(context: AppContext, query: Query, now: datetime, calls: Calls) -> View:
    """Show the results (`show_results`)."""
    engine = Engine("tavily", _VERBS, ("query", "urls", "url"), read, _troubles(context))
    return show_results(context, query, calls, engine)


def read(call: Call) -> Answer:
    """Parse a reply's text; return it unchanged if a fault replaced it."""
    if call.text.startswith("Detailed Results:"):
        body, _, pictures = call.text.partition("\n\nImages:\n")
        results = [_result(*parts) for parts in _RESULT.findall(body)]
        return Answer(results, _PICTURE.findall("\n" + pictures))
    if call.text.startswith(("Crawl Results:", "Site Map Results:")):
        return Answer([Result(url, url, text) for url, text in _PAGE.findall(call.text)])
    return Answer(text=call.text)


def _result(title: str, url: str, content: str, raw: str) -> Result:
    """Return a result; extractions have neither title nor content, which the server prints as undefined."""
    text = content if content != _UNTOLD else ""
    return Result(title if title != _UNTOLD else url, url, raw or text, whole=bool(raw))


def _troubles(context: AppContext) -> list[str]:
    refused = (context.first("api_key") or {}).get("valid") is False
    state = str((context.first("quota") or {}).get("state"))
    return [
        *(["The API key is not valid: HTTP 401."] if refused else []),
        *([_TROUBLES[state]] if state in _TROUBLES else []),
    ]
