"""How a book is found."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import AppError


def known(context: AppContext, title: str) -> Object:
    book = context.get("book", title)
    if book is None:
        raise AppError("not_found", f"There is no book called {title}")
    return book
