"""The view of Context7: the libraries, and the documentation of the open one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.servers.view import Query, View

_MOST = 200
_LONGEST = 4000


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show the libraries; the query's `library` is the id of the open one."""
    libraries = context.list("library", limit=_MOST)
    requested = query.get("library")
    opened = next((x for x in libraries if x["id"] == requested), libraries[0] if libraries else None)
    pieces = [] if opened is None else context.list("doc", {"libraryId": opened["id"]}, limit=_MOST)
    data: dict[str, Any] = {"libraries": libraries, "opened": opened, "pieces": [_piece(piece) for piece in pieces]}
    return View("library.html.jinja", data)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a library or one of its pieces."""
    if entity not in ("library", "doc"):
        return None
    return {"library": str(value.get("id" if entity == "library" else "libraryId") or "")}


def _piece(piece: Object) -> dict[str, Any]:
    """Split a piece into its title and alternating prose and code, by its fences."""
    text = str(piece.get("text") or "")[:_LONGEST]
    head, _, below = text.partition("\n") if text.startswith("### ") else ("", "", text)
    parts = [(n % 2 == 1, p.partition("\n")[2] if n % 2 else p.strip()) for n, p in enumerate(below.split("```"))]
    shown = [part for part in parts if part[1]]
    return {"id": piece["id"], "title": head.removeprefix("### "), "version": piece.get("version"), "parts": shown}
