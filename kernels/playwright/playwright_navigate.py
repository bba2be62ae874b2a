"""The `playwright_navigate` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import Browser, InvalidAddress, NotLoaded
from soundstage.kernels.engines.javascript import is_number, is_true, type_of
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.playwright.rules.errors import ConnectionLost, Failed, call_log, string
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments

_STATES = ("load", "domcontentloaded", "networkidle", "commit")
_KINDS: dict[str, ErrorKind] = {
    "ERR_NAME_NOT_RESOLVED": "not_found",
    "ERR_FILE_NOT_FOUND": "not_found",
    "ERR_CONNECTION_REFUSED": "unavailable",
}


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Navigate to a URL; if the browser rejects the URL itself, the server drops the connection to it."""
    return in_browser(context, "playwright_navigate", arguments, lambda browser: _open(browser, arguments))


def _open(browser: Browser, arguments: Arguments) -> str:
    state = arguments.get("waitUntil") if is_true(arguments.get("waitUntil")) else "load"
    state = "networkidle" if state == "networkidle0" else state
    if state not in _STATES:
        raise Failed("invalid", f"waitUntil: expected one of ({'|'.join(_STATES)})")
    url = string("page.goto", "url", arguments)
    timeout = arguments.get("timeout")
    if is_true(timeout) and not is_number(timeout):
        raise Failed("invalid", f"page.goto: timeout: expected float, got {type_of(timeout)}")
    log = call_log(f'  - navigating to "{url}", waiting until "{state}"')
    try:
        browser.goto(url)
    except InvalidAddress:
        raise ConnectionLost(
            "invalid", f"page.goto: Protocol error (Page.navigate): Cannot navigate to invalid URL{log}"
        ) from None
    except NotLoaded as error:
        raise Failed(_KINDS.get(error.code, "invalid"), f"page.goto: net::{error.code} at {url}{log}") from None
    return f"Navigated to {url}"
