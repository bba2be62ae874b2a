"""Crawling for crawl and map: from one page along its links, within its site unless external links are allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import is_number
from soundstage.kernels.engines.web import dom
from soundstage.kernels.engines.web.addresses import Address, parsed
from soundstage.kernels.engines.web.pages import has_own_pages, is_shown, page_at
from soundstage.kernels.engines.web.patterns import compiled
from soundstage.kernels.engines.web.walk import breadth_first
from soundstage.kernels.tavily.rules.errors import Refused
from soundstage.kernels.types import Arguments

_DEPTH, _BREADTH, _LIMIT = 1, 20, 50
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

# Patterns of paths for each value of `categories`.
_CATEGORIES = {
    "Careers": "career|job|hiring|position|recruit|vacanc",
    "Blog": "blog|news|post|article|stor(y|ies)|notes?",
    "Documentation": "doc|guide|manual|reference|api|tutorial|help|wiki",
    "About": "about|team|company|history|imprint",
    "Pricing": "pric|plan|fee|tariff|menu",
    "Community": "communit|forum|group|event|thread",
    "Developers": "develop|api|sdk|code|docs",
    "Contact": "contact|support|imprint",
    "Media": "media|press|photo|gallery|video",
}


def walked(context: AppContext, arguments: Arguments) -> tuple[str, list[Object]]:
    """Return the given URL, and the crawled pages in order.

    `select_paths` and `categories` filter the result, not the crawl; `instructions` have no effect.

    Raises:
        Refused: 400 without a URL, for numbers below 1 and for invalid patterns.
    """
    url = arguments.get("url")
    if not isinstance(url, str) or not url.strip():
        raise Refused(400)
    depth = _at_least_one(arguments.get("max_depth"), _DEPTH)
    breadth = _at_least_one(arguments.get("max_breadth"), _BREADTH)
    limit = _at_least_one(arguments.get("limit"), _LIMIT)
    paths, domains = _patterns(arguments.get("select_paths")), _patterns(arguments.get("select_domains"))
    wholly = [url] if _HAS_SCHEME.match(url) else [f"http://{url}", f"https://{url}"]
    start = next((page for address in wholly if (page := page_at(context, address)) is not None), None)
    if start is None or not is_shown(start):
        return url, []
    host = _address(start).host
    pages = {start["url"]: start}

    def linked(page_url: str) -> Iterator[str]:
        for to in dom.links(dom.parsed(pages[page_url].get("html") or ""), page_url):
            if to.host != host and arguments.get("allow_external") is not True:
                continue
            if domains and not any(p.search(to.host) for p in domains):
                continue
            page = page_at(context, to.page)
            if page is not None and is_shown(page):
                pages.setdefault(page["url"], page)
                yield page["url"]

    told_of = _categories(context, arguments.get("categories"))
    walk = breadth_first(start["url"], linked, depth=depth, breadth=breadth)
    wanted = (
        pages[result]
        for result in walk
        if (not paths or any(p.search(_address(pages[result]).path) for p in paths))
        and (told_of is None or told_of.search(_address(pages[result]).path))
    )
    return url, list(islice(wanted, limit))


def _address(page: Object) -> Address:
    address = parsed(page["url"])
    assert address is not None  # the page was found by its URL
    return address


def _at_least_one(value: Any, default: int) -> int:
    if value is None:
        return default
    if not is_number(value) or value < 1:
        raise Refused(400)
    return int(value)


def _patterns(value: Any) -> list[Any]:
    """Compile regular expressions; the server sends an empty list for values that are not lists."""
    patterns = [compiled(pattern) for pattern in value] if isinstance(value, list) else []
    if None in patterns:
        raise Refused(400)
    return patterns


def _categories(context: AppContext, value: Any) -> Any:
    """Return the pattern for the requested categories; recorded pages have none."""
    known = (
        [_CATEGORIES[name] for name in value if isinstance(name, str) and name in _CATEGORIES]
        if isinstance(value, list)
        else []
    )
    return compiled(f"(?i)/[^/]*({'|'.join(known)})") if known and not has_own_pages(context) else None
