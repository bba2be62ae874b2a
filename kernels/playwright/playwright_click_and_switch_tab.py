"""The `playwright_click_and_switch_tab` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.actions import click
from soundstage.kernels.playwright.rules.errors import TIMEOUT_MS, Failed, string
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments

_NO_TAB = f'browserContext.waitForEvent: Timeout {TIMEOUT_MS}ms exceeded while waiting for event "page"'


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Click an element that opens a tab, and continue in that tab.

    The server reads the new tab's URL before it is set, so the sentence ends without it. Errors of the click are ignored while
    the server waits for the tab; only an invalid selector is reported.
    """

    def work(browser: Browser) -> str:
        selector = string("page.click", "selector", arguments)
        try:
            click(context, browser, selector)
        except Failed as error:
            raise (error if error.kind != "not_found" else Failed("not_found", _NO_TAB)) from None
        if browser.opened is None:
            context.wait(TIMEOUT_MS)
            raise Failed("not_found", _NO_TAB)
        browser.switch_to(browser.opened)
        return "Clicked link and switched to new tab: "

    return in_browser(context, "playwright_click_and_switch_tab", arguments, work)
