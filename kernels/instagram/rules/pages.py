"""Pages of an edge: opaque cursors, and the addresses of the pages around.

A cursor stands for one item: `before` for the first of a page, `after` for the last. `next` is told only when more follows,
`previous` only when the page is not the first, and an empty page tells nothing (recorded).
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
    """The rows of the page that `limit`, `after` and `before` name, and its `paging`.

    `path` is the edge (`<id>/media`), `fields` what the request asks for.

    Raises:
        GraphError: for a cursor that stands for none of the rows, or a limit below zero.
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
    asked = {**({"fields": fields} if fields else {}), "limit": limit}
    before, after = _PREFIX + shown[0]["id"], _PREFIX + shown[-1]["id"]
    paging: dict[str, Any] = {"cursors": {"before": before, "after": after}}
    if start + len(shown) < len(rows):
        paging["next"] = f"{_HOST}/{path}?{urlencode({**asked, 'after': after})}"
    if start > 0:
        paging["previous"] = f"{_HOST}/{path}?{urlencode({**asked, 'before': before})}"
    return shown, paging


def _place(rows: list[Object], cursor: str) -> int:
    for place, row in enumerate(rows):
        if cursor == _PREFIX + row["id"]:
            return place
    raise GraphError("invalid", "(#100) Invalid cursors values")
