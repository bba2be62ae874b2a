"""Close the browser. A recording does not hold that."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.playwright.rules.process import close
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    return "Browser closed successfully" if close(context) else "No browser instance to close"
