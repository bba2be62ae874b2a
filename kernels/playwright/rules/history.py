"""Back and forward navigation as in Playwright."""

from __future__ import annotations

from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import TIMEOUT_MS, timed_out
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def moved(context: AppContext, arguments: Arguments, way: Literal["back", "forward"]) -> str | list[str] | AppError:
    """Move by one history entry; nothing happens if there is none.

    Playwright waits for a navigation of the page itself, so it times out if only a frame navigates.
    """

    def work(browser: Browser) -> str:
        if browser.go(-1 if way == "back" else 1) == "frames":
            context.wait(TIMEOUT_MS)
            raise timed_out(f"page.go{way.capitalize()}", ['  - waiting for navigation until "load"'])
        return f"Navigated {way} in browser history"

    return in_browser(context, f"playwright_go_{way}", arguments, work)
