"""Books with this in their title, in any case."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.shelf.rules.books import text
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    text(arguments, "title")
    return {"books": [book for book in context.list("book") if arguments["title"].lower() in book["title"].lower()]}
