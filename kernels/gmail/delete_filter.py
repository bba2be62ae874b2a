"""The `delete_filter` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules import filters
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Delete a filter."""
    result = filters.get(acting(context), arguments["filterId"], "delete")
    context.delete("filter", result["id"])
    return f'Filter "{arguments["filterId"]}" deleted successfully.'
