"""The `playwright_close` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.playwright.rules.process import close
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Close the browser; recordings do not include this call."""
    return "Browser closed successfully" if close(context) else "No browser instance to close"
