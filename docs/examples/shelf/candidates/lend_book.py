"""A book is lent to one at a time."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.shelf.rules.books import book, number, text
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    number(arguments)
    text(arguments, "to")
    found = book(context, arguments)
    if found["lent_to"] is not None:
        raise AppError("conflict", f"{found['lent_to']} has it already")
    context.update("book", found["number"], {"lent_to": arguments["to"]})
    return {**found, "lent_to": arguments["to"]}
