"""The `create_filter` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules import filters
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Create a filter; the reply shows the arguments, not what Gmail stored."""
    criteria, action = arguments["criteria"], arguments["action"]
    made = filters.create(acting(context), criteria, action)
    text = f"Criteria: {filters.criteria_text(criteria)}\nActions: {filters.action_text(action)}"
    return f"Filter created successfully:\nID: {made['id']}\n{text}"
