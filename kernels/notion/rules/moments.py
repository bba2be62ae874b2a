"""The times that objects carry: Notion rounds them down to the minute, a comment's to the second."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext


def this_minute(context: AppContext) -> str:
    return f"{context.now():%Y-%m-%dT%H:%M}:00.000Z"


def this_second(context: AppContext) -> str:
    return f"{context.now():%Y-%m-%dT%H:%M:%S}.000Z"
