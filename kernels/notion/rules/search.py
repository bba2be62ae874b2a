"""POST /v1/search: pages and data sources by title, most recently edited first; databases are never included."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, data_sources, pages, paging, rich_text, trash
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.validation import OR_UNDEFINED, boolean, choice, member, need_one, only
from soundstage.kernels.types import Arguments

_OBJECTS = ("page", "data_source")


def search(context: AppContext, arguments: Arguments, wanted: Object | None, sort: Object | None) -> Object:
    """Return a list of matches; `wanted` and `sort` are the API's `filter` and `sort`.

    Raises:
        NotionError: In the words of the API's validation.
    """
    access.check(context, "read_content")
    kinds, in_trash = _parse_filter(wanted)
    ascends = _parse_sort(sort)
    window = paging.window(arguments, "body")
    query = (arguments.get("query") or "").casefold()
    matches = [
        {**record, "object": kind}
        for kind in kinds
        for record in context.list(kind)
        if query in _title(kind, record).casefold() and _in_trash(context, record) is in_trash
    ]
    matches.sort(key=lambda record: record.get("last_edited_time") or "", reverse=not ascends)
    return paging.listing(context, "page_or_data_source", matches, window, lambda record: _shown(context, record))


def _parse_filter(sent: Object | None) -> tuple[tuple[str, ...], bool]:
    """Return the kinds of objects to search, and whether to search the trash."""
    if sent is None:
        return _OBJECTS, False
    if "property" not in sent and "value" not in sent:
        if "in_trash" not in sent:
            need_one("body.filter", ("property", "in_trash"))
        only(sent, ("in_trash",), "body.filter")
        return _OBJECTS, boolean(sent["in_trash"], "body.filter.in_trash")
    choice(member(sent, "property", "body.filter"), ("object",), "body.filter.property", optional=False)
    kind = choice(member(sent, "value", "body.filter"), _OBJECTS, "body.filter.value", optional=False)
    only(sent, ("property", "value", "in_trash"), "body.filter")
    return (kind,), boolean(sent.get("in_trash", False), "body.filter.in_trash", OR_UNDEFINED)


def _parse_sort(sent: Object | None) -> bool:
    """Return whether the oldest comes first."""
    if sent is None:
        return False
    if sent.get("timestamp") != "last_edited_time":
        raise invalid('body.sort.timestamp should be "last_edited_time" when sorting by timestamp.')
    only(sent, ("timestamp", "direction"), "body.sort")
    return bool(member(sent, "direction", "body.sort") == "ascending")


def _title(kind: str, record: Object) -> str:
    return rich_text.title(record) if kind == "page" else rich_text.plain(record.get("title"))


def _in_trash(context: AppContext, record: Object) -> bool:
    return bool(record.get("in_trash")) or trash.below_trash(context, record)


def _shown(context: AppContext, record: Object) -> Object:
    return pages.to_reply(context, record) if record["object"] == "page" else data_sources.to_reply(record)
