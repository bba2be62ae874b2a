"""Goods with this in their title, in any case."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.shop.rules.goods import required
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    required(arguments, "query")
    if not isinstance(arguments["query"], str):
        raise AppError("invalid", "query must be a text")
    query = arguments["query"].lower()
    return {"goods": [good for good in context.list("good") if query in good["title"].lower()]}
