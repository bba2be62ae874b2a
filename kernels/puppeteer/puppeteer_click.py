"""The `puppeteer_click` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.document import Stopped
from soundstage.kernels.engines.browser.tabs import place
from soundstage.kernels.engines.javascript import UNDEFINED, text
from soundstage.kernels.puppeteer.rules.elements import clickable, present
from soundstage.kernels.puppeteer.rules.errors import Failed, failed_to, timed_out
from soundstage.kernels.puppeteer.rules.launching import browser_for, check_dialog, check_no_dialog
from soundstage.kernels.types import Arguments

_ORDER = "Input.dispatchMouseEvent"


def run(context: AppContext, arguments: Arguments) -> str | Failed:
    """Click an element; clicks pass through invisible elements, and disabled ones ignore them."""
    browser = browser_for(context, arguments)
    selector = arguments.get("selector", UNDEFINED)
    shown = text(selector)
    try:
        check_dialog(context, "Runtime.callFunctionOn")
        element = clickable(present(browser, arguments.get("selector")))
        browser.act("click_at", {"at": place(element)})
    except Stopped:
        return failed_to("click", shown, timed_out(context, _ORDER))
    except Failed as error:
        return failed_to("click", shown, error)
    if (hangs := check_no_dialog(context, browser, _ORDER)) is not None:
        return failed_to("click", shown, hangs)
    return f"Clicked: {shown}"
