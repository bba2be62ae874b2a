"""A book is taken with all its copies."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.shelf.rules.books import known
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    book = known(context, arguments["title"])
    context.delete("book", book["title"])
    return {"taken": book["title"], "copies": book["copies"]}
