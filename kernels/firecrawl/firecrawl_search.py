"""The `firecrawl_search` tool."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web.pages import has_own_pages, search_pages
from soundstage.kernels.firecrawl.rules.account import admit
from soundstage.kernels.firecrawl.rules.bodies import check_search, given
from soundstage.kernels.firecrawl.rules.documents import description_of, markdown_of, read, title_of
from soundstage.kernels.firecrawl.rules.errors import Upstream, given_up, invalid_arguments, worded
from soundstage.kernels.types import Arguments

_USUAL = 5
_SENT = ("query", "limit", "tbs", "filter", "lang", "country", "location", "timeout", "scrapeOptions")
_DEFAULTED = frozenset(("limit", "lang", "country", "timeout", "scrapeOptions"))
_DAYS = {"h": 1, "d": 1, "w": 7, "m": 31, "y": 366}


def run(context: AppContext, arguments: Arguments) -> str:
    """Search the web and optionally read the results."""
    if not isinstance(arguments.get("query"), str):
        invalid_arguments("firecrawl_search")
    try:
        admit(context)
        check_search(_sent(arguments))
    except Upstream as refusal:
        raise given_up(context, worded("firecrawl_search", refusal)) from None
    hits = (page for page in search_pages(context, arguments["query"], read) if _is_in_time(context, page, arguments))
    options = arguments.get("scrapeOptions") or {}
    limit = arguments.get("limit")
    return "\n\n".join(_hit(page, options) for page in islice(hits, _USUAL if limit is None else int(limit)))


def _sent(arguments: Arguments) -> dict[str, Any]:
    """Return the request that the client sends; for some members its default also replaces null."""
    return {
        name: value for name, value in given(arguments, *_SENT).items() if value is not None or name not in _DEFAULTED
    }


def _is_in_time(context: AppContext, page: Object, arguments: Arguments) -> bool:
    """Return whether a page is recent enough for `tbs` (`qdr:w` …); recorded pages have no dates and always pass."""
    kind, _, unit = str(arguments.get("tbs") or "").partition(":")
    if kind != "qdr" or unit[:1] not in _DAYS or has_own_pages(context):
        return True
    now = context.now()
    since = now - timedelta(days=_DAYS[unit[0]])
    return since.date().isoformat() <= str(page.get("published") or "")[:10] <= now.date().isoformat()


def _hit(page: Object, options: dict[str, Any]) -> str:
    text = markdown_of(page, options) if "markdown" in (options.get("formats") or ()) else ""
    return (
        f"URL: {page['url']}\nTitle: {title_of(page) or 'No title'}\n"
        f"Description: {description_of(page) or 'No description'}\n" + (f"\nContent:\n{text}" if text else "")
    )
