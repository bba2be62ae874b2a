"""The `search` tool."""

from __future__ import annotations

from itertools import islice

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import is_number, number, number_text
from soundstage.kernels.engines.web.pages import excerpt, search_pages
from soundstage.kernels.google_search.rules.errors import InvalidParams, SearchFailed, Thrown
from soundstage.kernels.google_search.rules.reading import read, text_of, title_of
from soundstage.kernels.types import Arguments

_USUAL, _MOST = 5, 10
_SNIPPET = 160


def run(context: AppContext, arguments: Arguments) -> list[dict[str, str]]:
    """Search the web; the server crashes if there are no results."""
    query, num = arguments.get("query"), arguments.get("num", _USUAL)
    if not isinstance(query, str) or not is_number(num):
        raise InvalidParams("search")
    _admit(context)
    count = _count(min(num, _MOST))
    hits = list(islice(search_pages(context, query, read, every=False), count))
    if not hits:
        raise Thrown("not_found", "Cannot read properties of undefined (reading 'map')")
    return [
        {"title": title_of(page), "link": page["url"], "snippet": excerpt(context, text_of(page), query, _SNIPPET)}
        for page in hits
    ]


def _admit(context: AppContext) -> None:
    key = context.first("api_key") or {}
    if key.get("valid") is False:
        raise SearchFailed("unauthorized", "API key not valid. Please pass a valid API key.")
    if key.get("exhausted"):
        quota = "Quota exceeded for quota metric 'Queries' and limit 'Queries per day' of service 'customsearch.googleapis.com'"
        raise SearchFailed("rate_limited", f"{quota} for consumer 'project_number:000000000000'.")


def _count(num: float) -> int:
    """Return the number of results to request from Google, which requires a positive integer."""
    whole = number(num)
    if not isinstance(whole, int):
        raise SearchFailed("invalid", f"Invalid value at 'num' (TYPE_INT32), \"{number_text(num)}\"")
    if whole < 1:
        raise SearchFailed("invalid", "Request contains an invalid argument.")
    return whole
