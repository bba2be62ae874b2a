"""The `playwright_hover` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.actions import hover
from soundstage.kernels.playwright.rules.errors import string
from soundstage.kernels.playwright.rules.locators import visible
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Move the mouse over an element as soon as it is visible."""

    def work(browser: Browser) -> str:
        selector = string("page.waitForSelector", "selector", arguments)
        visible(context, browser, selector)
        hover(context, browser, selector)
        return f"Hovered {selector}"

    return in_browser(context, "playwright_hover", arguments, work)
