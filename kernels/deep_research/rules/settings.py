"""The settings of the server."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext

_MOST_ROUNDS = 5


def setting(context: AppContext, name: str, usual: str) -> str:
    """Return a setting."""
    row = context.get("setting", name)
    return str(row["value"]) if row is not None and row.get("value") else usual


def most_rounds(context: AppContext) -> int:
    """Return the maximum number of search rounds in the prompt; invalid values count as unset."""
    value = setting(context, "MAX_PLANNING_ROUNDS", "")
    return int(value) if value.isascii() and value.isdigit() and int(value) > 0 else _MOST_ROUNDS
