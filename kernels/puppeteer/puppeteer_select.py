"""The `puppeteer_select` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.document import Stopped
from soundstage.kernels.engines.browser.tabs import place
from soundstage.kernels.engines.javascript import UNDEFINED, text, type_of
from soundstage.kernels.puppeteer.rules.elements import present, waited_for
from soundstage.kernels.puppeteer.rules.errors import Failed, failed_to, timed_out
from soundstage.kernels.puppeteer.rules.launching import browser_for, check_dialog, check_no_dialog
from soundstage.kernels.types import Arguments

_ORDER = "Runtime.callFunctionOn"


def run(context: AppContext, arguments: Arguments) -> str | Failed:
    """Select an option by its value; an unknown value selects none without an error."""
    browser = browser_for(context, arguments)
    selector, value = arguments.get("selector"), arguments.get("value", UNDEFINED)
    shown = text(arguments.get("selector", UNDEFINED))
    try:
        check_dialog(context, _ORDER)
        waited_for(context, browser, selector)
        element = present(browser, selector)
        if not isinstance(value, str):
            raise Failed("invalid", f'Values must be strings. Found value "{text(value)}" of type "{type_of(value)}"')
        if element["options"] is None:
            raise Failed("invalid", "Element is not a <select> element.")
        fitting = [i for i, option in enumerate(element["options"]) if option["value"] == value]
        browser.act("select", {"at": place(element), "options": fitting if element["multiple"] else fitting[:1]})
    except Stopped:
        return failed_to("select", shown, timed_out(context, _ORDER))
    except Failed as error:
        return failed_to("select", shown, error)
    if (hangs := check_no_dialog(context, browser, _ORDER)) is not None:
        return failed_to("select", shown, hangs)
    return f"Selected {shown} with: {value}"
