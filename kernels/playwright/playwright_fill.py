"""The `playwright_fill` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.actions import fill
from soundstage.kernels.playwright.rules.errors import string
from soundstage.kernels.playwright.rules.locators import visible
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Replace the value of a field as soon as it is visible and editable."""

    def work(browser: Browser) -> str:
        selector = string("page.waitForSelector", "selector", arguments)
        visible(context, browser, selector)
        value = string("page.fill", "value", arguments)
        fill(context, browser, selector, value)
        return f"Filled {selector} with: {value}"

    return in_browser(context, "playwright_fill", arguments, work)
