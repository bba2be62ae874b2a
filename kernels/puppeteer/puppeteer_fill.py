"""The `puppeteer_fill` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.document import Stopped
from soundstage.kernels.engines.browser.keys import typing
from soundstage.kernels.engines.browser.tabs import place
from soundstage.kernels.engines.javascript import UNDEFINED, text
from soundstage.kernels.puppeteer.rules.elements import present, waited_for
from soundstage.kernels.puppeteer.rules.errors import Failed, failed_to, timed_out
from soundstage.kernels.puppeteer.rules.launching import browser_for, check_dialog, check_no_dialog
from soundstage.kernels.types import Arguments

_ORDER = "Input.dispatchKeyEvent"
_MOST_KEYS = 2500
"""Keys of one call. More would exceed the time of an operation on the page, and are answered in the same way."""


def run(context: AppContext, arguments: Arguments) -> str | Failed:
    """Type into an element after its current content; if it accepts no keys, they go to the focused element."""
    browser = browser_for(context, arguments)
    selector, value = arguments.get("selector"), arguments.get("value", UNDEFINED)
    shown = text(arguments.get("selector", UNDEFINED))
    try:
        check_dialog(context, "Runtime.callFunctionOn")
        waited_for(context, browser, selector)
        browser.act("focus", {"at": place(present(browser, selector))})
        if value is UNDEFINED or value is None:
            raise Failed("invalid", f"{text(value)} is not iterable")
        if not isinstance(value, str):
            raise Failed("invalid", "text is not iterable")
        keys = typing(value)
        if len(keys) > _MOST_KEYS:
            raise Stopped
        browser.act("type", {"keys": keys})
    except Stopped:
        return failed_to("fill", shown, timed_out(context, _ORDER))
    except Failed as error:
        return failed_to("fill", shown, error)
    if (hangs := check_no_dialog(context, browser, _ORDER)) is not None:
        return failed_to("fill", shown, hangs)
    return f"Filled {shown} with: {value}"
