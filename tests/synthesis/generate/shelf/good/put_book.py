"""A title stands on the shelf once, with one copy to five hundred."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    title, copies = arguments["title"], arguments["copies"]
    if not title.strip():
        raise AppError("invalid", "A book needs a title")
    if not 1 <= copies <= 500:
        raise AppError("invalid", f"{copies} copies of {title} cannot stand on a shelf")
    if context.get("book", title) is not None:
        raise AppError("conflict", f"{title} is on the shelf already")
    return context.create("book", {"title": title, "copies": copies})
