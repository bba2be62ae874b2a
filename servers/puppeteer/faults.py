"""How Puppeteer words what goes wrong between it and Chromium. What would escape a tool is flagged here, as all faults are."""

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
    return _page(hit, "rate_limited", "net::ERR_HTTP_RESPONSE_CODE_FAILURE")


def unavailable(hit: Hit) -> Answer:
    return _page(hit, "unavailable", "net::ERR_CONNECTION_RESET")


def server_error(hit: Hit) -> Answer:
    return _order(hit, "internal", "Protocol error (Runtime.callFunctionOn): Target closed")


def auth_expired(hit: Hit) -> Answer:
    return _page(hit, "unauthorized", "net::ERR_INVALID_AUTH_CREDENTIALS")


def timeout(hit: Hit) -> Answer:
    if hit.tool.name == "puppeteer_navigate":
        return worded(hit, Failed("unavailable", "Navigation timeout of 30000 ms exceeded"))
    return _order(hit, "unavailable", f"Runtime.callFunctionOn timed out. {_HELP}")


def _page(hit: Hit, kind: ErrorKind, code: str) -> Answer:
    """What a page cannot be loaded for. Only opening one tells it; to others the browser is away."""
    if hit.tool.name == "puppeteer_navigate":
        return worded(hit, Failed(kind, f"{code} at {hit.arguments.get('url')}"))
    return _order(hit, kind, f"{code} at {hit.arguments.get('url') or 'the page'}")


def _order(hit: Hit, kind: ErrorKind, words: str) -> Answer:
    """What an order to the browser fails with."""
    if (verb := _VERBS.get(hit.tool.name)) is not None:
        return worded(hit, failed_to(verb, hit.arguments.get("selector"), Failed(kind, words)))
    if hit.tool.name == "puppeteer_evaluate":
        return worded(hit, Failed(kind, f"Script execution failed: {words}"))
    return worded(hit, Failed(kind, words))
