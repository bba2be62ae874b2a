"""Times of objects, which Notion rounds down to the minute, or to the second for comments."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext


def this_minute(context: AppContext) -> str:
    """Return the current time, rounded down to the minute."""
    return f"{context.now():%Y-%m-%dT%H:%M}:00.000Z"


def this_second(context: AppContext) -> str:
    """Return the current time, rounded down to the second."""
    return f"{context.now():%Y-%m-%dT%H:%M:%S}.000Z"
