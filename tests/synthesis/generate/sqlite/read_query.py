"""A query is answered; what is none is refused by its first word. Which rows it finds, SQL decides, which nothing here reads."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    if not arguments["query"].strip().upper().startswith("SELECT"):
        raise AppError("invalid", "Error: Only SELECT queries are allowed for read_query")
    return "[]"
