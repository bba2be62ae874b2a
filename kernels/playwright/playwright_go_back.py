"""The `playwright_go_back` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.history import moved
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Go back in the history; nothing happens if there is no earlier entry."""
    return moved(context, arguments, "back")
