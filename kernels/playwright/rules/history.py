"""Going back and forward, as Playwright has it."""

from __future__ import annotations

from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import TIMEOUT_MS, timed_out
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments

_HOW: dict[int, tuple[Literal["back", "forward"], str]] = {
    -1: ("back", "page.goBack"),
    1: ("forward", "page.goForward"),
}


def moved(context: AppContext, tool: str, arguments: Arguments, by: Literal[-1, 1]) -> str | list[str] | AppError:
    """Move by one entry. Where there is none, nothing happens.

    Playwright waits for the page itself to be led somewhere: where only a frame is, it is, and Playwright waits in vain.
    """
    way, doing = _HOW[by]

    def work(browser: Browser) -> str:
        if browser.go(by) == "frames":
            context.wait(TIMEOUT_MS)
            raise timed_out(doing, ['  - waiting for navigation until "load"'])
        return f"Navigated {way} in browser history"

    return in_browser(context, tool, arguments, work)
