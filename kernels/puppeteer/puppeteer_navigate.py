"""The `puppeteer_navigate` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.browser.tabs import InvalidAddress, NotLoaded
from soundstage.kernels.puppeteer.rules.errors import Failed
from soundstage.kernels.puppeteer.rules.launching import browser_for, check_no_dialog, close_dialog
from soundstage.kernels.types import Arguments

_ORDER = "Protocol error (Page.navigate)"
_FIELD = f"{_ORDER}: Invalid parameters Failed to deserialize params.url - BINDINGS"
_KINDS = {
    "ERR_NAME_NOT_RESOLVED": "not_found",
    "ERR_FILE_NOT_FOUND": "not_found",
    "ERR_CONNECTION_REFUSED": "unavailable",
}


def run(context: AppContext, arguments: Arguments) -> str | Failed:
    """Navigate to a URL; navigation errors escape the tool's error handling."""
    browser = browser_for(context, arguments)
    url = arguments.get("url")
    if url is None:
        return Failed("invalid", f"{_FIELD}: mandatory field missing at position 50", escapes=True)
    if not isinstance(url, str):
        return Failed("invalid", f"{_FIELD}: string value expected at position 12", escapes=True)
    try:
        close_dialog(context)
        browser.goto(url)
    except InvalidAddress:
        return Failed("invalid", f"{_ORDER}: Cannot navigate to invalid URL", escapes=True)
    except NotLoaded as error:
        return Failed(_KINDS.get(error.code, "invalid"), f"net::{error.code} at {url}", escapes=True)  # type: ignore[arg-type]
    if (shown := check_no_dialog(context, browser, "Page.navigate")) is not None:
        return Failed(shown.kind, shown.message, escapes=True)
    return f"Navigated to {url}"
