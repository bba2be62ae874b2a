"""Lists: page sizes, cursors and the envelope; a cursor is the id of the next object.

The server omits an empty cursor and a size of 0, so both count as not given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import ids
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.validation import OR_UNDEFINED, refuse
from soundstage.kernels.types import Arguments

PAGE_LIMIT = 100


@dataclass(frozen=True, slots=True)
class Window:
    """The requested part of a list; `raw` is the cursor as sent."""

    start: str | None = None
    raw: str = ""
    size: int = PAGE_LIMIT


def window(arguments: Arguments, part: Literal["query", "body"], *, any_cursor: bool = False) -> Window:
    """Return the cursor and size of a call; with `any_cursor`, `listing` checks the cursor, as for users.

    Raises:
        NotionError: In the words of the API's validation.
    """
    raw = arguments.get("start_cursor") or ""
    start = ids.normalize_uuid(raw) or raw or None
    if raw and not any_cursor:
        start = ids.need_uuid(raw, f"{part}.start_cursor", OR_UNDEFINED)
    size = arguments.get("page_size") or PAGE_LIMIT
    path = f"{part}.page_size"
    if size != int(size):
        refuse(path, f"an integer{OR_UNDEFINED}", size)
    if size < 1:
        refuse(path, f"≥ `1`{OR_UNDEFINED}", size)
    if size > PAGE_LIMIT:
        refuse(path, f"≤ `{PAGE_LIMIT}`{OR_UNDEFINED}", size)
    return Window(start, raw, int(size))


def listing(
    context: AppContext, kind: str, records: list[Object], requested: Window, shown: Callable[[Object], Object]
) -> Object:
    """Return the requested part of a list in the API's envelope; `shown` is applied to that part only.

    Raises:
        NotionError: The cursor is not the id of a record.
    """
    first = 0
    if requested.start is not None:
        position = next((i for i, record in enumerate(records) if record["id"] == requested.start), None)
        if position is None:
            raise invalid(f"The start_cursor provided is invalid: {requested.raw}")
        first = position
    rest = records[first + requested.size :]
    return {
        "object": "list",
        "results": [shown(record) for record in records[first : first + requested.size]],
        "next_cursor": rest[0]["id"] if rest else None,
        "has_more": bool(rest),
        "type": kind,
        kind: {},
        "request_id": request_id(context),
    }


def request_id(context: AppContext) -> str:
    """Return the id that the API adds to the end of every response."""
    return context.new_id("request", "{uuid4}")
