"""The `playwright_click` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.actions import click
from soundstage.kernels.playwright.rules.errors import string
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Click an element as soon as it is actionable."""

    def work(browser: Browser) -> str:
        selector = string("page.click", "selector", arguments)
        click(context, browser, selector)
        return f"Clicked element: {selector}"

    return in_browser(context, "playwright_click", arguments, work)
