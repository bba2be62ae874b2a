"""The `playwright_expect_response` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.engines.javascript import is_true, text
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import refused
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.playwright.rules.waits import start
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Start waiting for a response, which `playwright_assert_response` then checks."""

    def work(browser: Browser) -> str:
        name, url = arguments.get("id"), arguments.get("url")
        if not is_true(name) or not is_true(url):
            raise refused("invalid", "Missing required parameters: id and url must be provided")
        start(context, text(name), text(url))
        return f"Started waiting for response with ID {text(name)}"

    return in_browser(context, "playwright_expect_response", arguments, work)
