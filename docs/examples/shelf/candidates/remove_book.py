"""A book goes, lent or not."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.shelf.rules.books import book, number
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    number(arguments)
    found = book(context, arguments)
    context.delete("book", found["number"])
    return {"removed": found["number"]}
