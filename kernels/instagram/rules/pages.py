"""Pages of an edge: opaque cursors and the addresses of the adjacent pages.

A cursor represents one item: `before` the first of a page, `after` the last. `next` is present only if more items
follow, `previous` only if the page is not the first, and an empty page has no paging (recorded).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.errors import GraphError
from soundstage.kernels.types import Arguments

_HOST = "https://graph.facebook.com/v21.0"
_PREFIX = "QVFI"
_DEFAULT_LIMIT = 25


def page(rows: list[Object], path: str, arguments: Arguments, fields: str | None = None) -> tuple[list[Object], Object]:
    """Return the rows of the page that `limit`, `after` and `before` select, and its `paging`.

    `path` is the edge (`<id>/media`), `fields` are the requested ones.

    Raises:
        GraphError: A cursor matches none of the rows, or the limit is negative.
    """
    limit = arguments.get("limit")
    limit = _DEFAULT_LIMIT if limit is None else limit
    if limit < 0:
        raise GraphError("invalid", "(#100) Invalid parameter")
    start, end = 0, limit
    if arguments.get("after"):
        start = _place(rows, arguments["after"]) + 1
        end = start + limit
    elif arguments.get("before"):
        end = _place(rows, arguments["before"])
        start = max(end - limit, 0)
    shown = rows[start:end]
    if not shown:
        return [], {}
    query = {**({"fields": fields} if fields else {}), "limit": limit}
    before, after = _PREFIX + shown[0]["id"], _PREFIX + shown[-1]["id"]
    paging: dict[str, Any] = {"cursors": {"before": before, "after": after}}
    if start + len(shown) < len(rows):
        paging["next"] = f"{_HOST}/{path}?{urlencode({**query, 'after': after})}"
    if start > 0:
        paging["previous"] = f"{_HOST}/{path}?{urlencode({**query, 'before': before})}"
    return shown, paging


def _place(rows: list[Object], cursor: str) -> int:
    for place, row in enumerate(rows):
        if cursor == _PREFIX + row["id"]:
            return place
    raise GraphError("invalid", "(#100) Invalid cursors values")
