"""A book gets the number after the highest one that there is."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.shelf.rules.books import integer, text
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    text(arguments, "title")
    integer(arguments, "year")
    if not arguments["title"].strip():
        raise AppError("invalid", "a book has a title")
    number = max((book["number"] for book in context.list("book")), default=0) + 1
    added = {"number": number, "title": arguments["title"], "year": arguments.get("year"), "lent_to": None}
    context.create("book", added)
    return added
