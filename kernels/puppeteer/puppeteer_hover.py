"""The `puppeteer_hover` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.document import Stopped
from soundstage.kernels.engines.browser.tabs import place
from soundstage.kernels.engines.javascript import UNDEFINED, text
from soundstage.kernels.puppeteer.rules.elements import clickable, present, waited_for
from soundstage.kernels.puppeteer.rules.errors import Failed, failed_to, timed_out
from soundstage.kernels.puppeteer.rules.launching import browser_for, check_dialog, check_no_dialog
from soundstage.kernels.types import Arguments

_ORDER = "Input.dispatchMouseEvent"


def run(context: AppContext, arguments: Arguments) -> str | Failed:
    """Move the mouse over an element once it exists."""
    browser = browser_for(context, arguments)
    selector = arguments.get("selector")
    shown = text(arguments.get("selector", UNDEFINED))
    try:
        check_dialog(context, "Runtime.callFunctionOn")
        waited_for(context, browser, selector)
        browser.act("hover", {"at": place(clickable(present(browser, selector)))})
    except Stopped:
        return failed_to("hover", shown, timed_out(context, _ORDER))
    except Failed as error:
        return failed_to("hover", shown, error)
    if (hangs := check_no_dialog(context, browser, _ORDER)) is not None:
        return failed_to("hover", shown, hangs)
    return f"Hovered {shown}"
