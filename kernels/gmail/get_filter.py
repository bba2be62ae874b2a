"""The `get_filter` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules import filters
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Show a filter."""
    found = filters.get(acting(context), arguments["filterId"], "get")
    criteria = filters.criteria_text(found.get("criteria") or {})
    return f"Filter details:\nID: {found['id']}\nCriteria: {criteria}\nActions: {filters.action_text(found.get('action') or {})}"
