"""The `get_filter` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules import filters
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Show a filter."""
    result = filters.get(acting(context), arguments["filterId"], "get")
    criteria = filters.criteria_text(result.get("criteria") or {})
    actions = filters.action_text(result.get("action") or {})
    return f"Filter details:\nID: {result['id']}\nCriteria: {criteria}\nActions: {actions}"
