"""A table is made; what is no such statement is refused by its first words."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    if not arguments["query"].strip().upper().startswith("CREATE TABLE"):
        raise AppError("invalid", "Error: Only CREATE TABLE statements are allowed")
    return "Table created successfully"
