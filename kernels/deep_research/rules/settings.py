"""What the server was started with."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext

_MOST_ROUNDS = 5


def setting(context: AppContext, name: str, usual: str) -> str:
    row = context.get("setting", name)
    return str(row["value"]) if row is not None and row.get("value") else usual


def most_rounds(context: AppContext) -> int:
    """How many rounds of searching the prompt allows; what is no number above nought does not count."""
    told = setting(context, "MAX_PLANNING_ROUNDS", "")
    return int(told) if told.isascii() and told.isdigit() and int(told) > 0 else _MOST_ROUNDS
