"""Go back in the history; where there is nothing, nothing happens."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    def work(browser: Browser) -> str:
        browser.go(-1)
        return "Navigated back in browser history"

    return in_browser(context, "playwright_go_back", arguments, work)
