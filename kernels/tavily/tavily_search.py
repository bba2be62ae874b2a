"""The `tavily_search` tool."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import is_number
from soundstage.kernels.engines.web.addresses import host_of, within
from soundstage.kernels.engines.web.pages import (
    by_title_and_text,
    excerpt,
    has_own_pages,
    search_pages,
    text_of,
    title_of,
)
from soundstage.kernels.tavily.rules import layout
from soundstage.kernels.tavily.rules.account import admit
from soundstage.kernels.tavily.rules.errors import Refused
from soundstage.kernels.tavily.rules.layout import Entry
from soundstage.kernels.tavily.rules.reading import favicon, pictures, raw_content
from soundstage.kernels.types import Arguments

_LONGEST_QUERY = 400
_MOST = 20
# The API's default; no component applies the schema's default of 10.
_USUAL = 5
_PASSAGE, _ADVANCED_PASSAGE = 500, 1500
_LONGEST_DAYS = 36500
_DAYS = {"day": 1, "d": 1, "week": 7, "w": 7, "month": 30, "m": 30, "year": 365, "y": 365}


def run(context: AppContext, arguments: Arguments) -> str:
    """Search the web, best pages first."""
    admit(context)
    query = arguments.get("query")
    if not isinstance(query, str) or not query.strip() or len(query) > _LONGEST_QUERY:
        raise Refused(400)
    count = _count(arguments.get("max_results"))
    since = _since(context, arguments)
    until = (
        "9999" if has_own_pages(context) else context.now().date().isoformat()
    )  # a recorded page may be newer than the clock
    only, never = _domains(arguments.get("include_domains")), _domains(arguments.get("exclude_domains"))
    fitting = (
        page
        for page in search_pages(context, query, by_title_and_text)
        if (since is None or since <= str(page.get("published_date") or "")[:10] <= until)
        and (not only or _is_on(page, only))
        and not _is_on(page, never)
    )
    hits = list(islice(fitting, count))
    length = _ADVANCED_PASSAGE if arguments.get("search_depth") == "advanced" else _PASSAGE
    entries = [
        Entry(
            page["url"],
            title_of(page),
            excerpt(context, text_of(page), query, length),
            raw_content(page) if arguments.get("include_raw_content") is True else "",
            favicon(page["url"]) if arguments.get("include_favicon") is True else "",
        )
        for page in hits
    ]
    images = pictures(hits) if arguments.get("include_images") is True else []
    if arguments.get("include_image_descriptions") is not True:
        images = [(address, "") for address, _ in images]
    return layout.results(entries, images)


def _count(value: Any) -> int:
    if value is None:
        return _USUAL
    if not is_number(value) or value < 0:
        raise Refused(400)
    return min(int(value), _MOST)


def _since(context: AppContext, arguments: Arguments) -> str | None:
    """Return the first day that counts. `days` applies to news only, and a country makes every search a general one."""
    requested = arguments.get("time_range")
    days: float | None = None
    if requested is not None:
        if not isinstance(requested, str) or requested not in _DAYS:
            raise Refused(400)
        days = _DAYS[requested]
    elif arguments.get("topic") == "news" and not arguments.get("country") and not has_own_pages(context):
        days = arguments.get("days")
    if days is None or not is_number(days):
        return None
    return str((context.now() - timedelta(days=min(max(float(days), 0), _LONGEST_DAYS))).date().isoformat())


def _domains(value: Any) -> list[str]:
    """Return domains as hosts; the server sends an empty list for other values."""
    if not isinstance(value, list):
        return []
    return [host_of(name if "://" in name else f"http://{name}") for name in value if isinstance(name, str) and name]


def _is_on(page: Object, domains: list[str]) -> bool:
    host = host_of(page["url"])
    return any(within(host, domain) for domain in domains)
