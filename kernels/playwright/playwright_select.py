"""The `playwright_select` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.engines.javascript import UNDEFINED, text, type_of
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.actions import select
from soundstage.kernels.playwright.rules.errors import Failed, string
from soundstage.kernels.playwright.rules.locators import visible
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Select an option by its value or label."""

    def work(browser: Browser) -> str:
        selector = string("page.waitForSelector", "selector", arguments)
        visible(context, browser, selector)
        value = arguments.get("value", UNDEFINED)
        if not isinstance(value, str):
            raise Failed("invalid", f"page.selectOption: options[0]: expected object, got {text(type_of(value))}")
        select(context, browser, selector, value)
        return f"Selected {selector} with: {value}"

    return in_browser(context, "playwright_select", arguments, work)
