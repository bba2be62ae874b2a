"""Failures between Puppeteer and Chromium in Puppeteer's words; errors that would escape a tool are marked, like all faults."""

from __future__ import annotations

from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.puppeteer.rules.errors import Failed, failed_to
from soundstage.servers.faults import Hit, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "Chromium's net_error_list.h: a site's 429 without a page is ERR_HTTP_RESPONSE_CODE_FAILURE",
    "unavailable": "Chromium's net_error_list.h: ERR_CONNECTION_RESET",
    "server_error": "puppeteer 23.11.1, a page that crashed: `Target closed`",
    "auth_expired": "Chromium's net_error_list.h: ERR_INVALID_AUTH_CREDENTIALS",
    "timeout": "puppeteer 23.11.1: `Navigation timeout of 30000 ms exceeded`, and recorded time-outs of its protocol",
}

_VERBS = {
    "puppeteer_click": "click",
    "puppeteer_fill": "fill",
    "puppeteer_select": "select",
    "puppeteer_hover": "hover",
}
_HELP = "Increase the 'protocolTimeout' setting in launch/connect calls for a higher timeout if needed."


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _page(hit, "rate_limited", "net::ERR_HTTP_RESPONSE_CODE_FAILURE")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _page(hit, "unavailable", "net::ERR_CONNECTION_RESET")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _order(hit, "internal", "Protocol error (Runtime.callFunctionOn): Target closed")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _page(hit, "unauthorized", "net::ERR_INVALID_AUTH_CREDENTIALS")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    if hit.tool.name == "puppeteer_navigate":
        return worded(hit, Failed("unavailable", "Navigation timeout of 30000 ms exceeded"))
    return _order(hit, "unavailable", f"Runtime.callFunctionOn timed out. {_HELP}")


def _page(hit: Hit, kind: ErrorKind, code: str) -> Answer:
    """Return the failure to load a page; for tools that do not navigate, the browser is unavailable."""
    if hit.tool.name == "puppeteer_navigate":
        return worded(hit, Failed(kind, f"{code} at {hit.arguments.get('url')}"))
    return _order(hit, kind, f"{code} at {hit.arguments.get('url') or 'the page'}")


def _order(hit: Hit, kind: ErrorKind, words: str) -> Answer:
    """Return the failure of a command to the browser."""
    if (verb := _VERBS.get(hit.tool.name)) is not None:
        return worded(hit, failed_to(verb, hit.arguments.get("selector"), Failed(kind, words)))
    if hit.tool.name == "puppeteer_evaluate":
        return worded(hit, Failed(kind, f"Script execution failed: {words}"))
    return worded(hit, Failed(kind, words))
