"""Rows are changed; a query is refused by its first word. How many rows, SQL decides, which nothing here reads: one."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    if arguments["query"].strip().upper().startswith("SELECT"):
        raise AppError("invalid", "Error: SELECT queries are not allowed for write_query")
    return "[{'affected_rows': 1}]"
