"""The `playwright_custom_user_agent` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.engines.javascript import is_true, text
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import refused
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Check the browser's user agent; a browser that this call starts uses the given one."""

    def work(browser: Browser) -> str:
        wanted = arguments.get("userAgent")
        if not is_true(wanted):
            raise refused("invalid", "Missing required parameter: userAgent must be provided")
        if browser.user_agent != wanted:
            lines = (f"Requested: {text(wanted)}", f"Current: {browser.user_agent}")
            raise refused("conflict", "Page was already initialized with a different User Agent.", *lines)
        return "User Agent validation successful"

    return in_browser(context, "playwright_custom_user_agent", arguments, work)
