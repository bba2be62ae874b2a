"""The `playwright_iframe_click` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.actions import click_element
from soundstage.kernels.playwright.rules.errors import Failed
from soundstage.kernels.playwright.rules.frames import frame_of, in_frame
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Click an element inside a frame."""

    def work(browser: Browser) -> str:
        frame, selector = arguments.get("iframeSelector"), arguments.get("selector")
        if not isinstance(frame, str) or not isinstance(selector, str):
            raise Failed("invalid", "Cannot read properties of undefined (reading '_frame')")
        element, log = in_frame(context, browser, frame, selector, "locator.click")
        click_element(context, browser, element, log, "locator.click", lambda: frame_of(browser, frame, selector))
        return f"Clicked element {selector} inside iframe {frame}"

    return in_browser(context, "playwright_iframe_click", arguments, work)
