"""Failures between Playwright, Chromium and sites in Playwright's words, and concurrent changes of the browser."""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.playwright.rules.errors import TIMEOUT_MS, Refused, call_log
from soundstage.servers.faults import Hit, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "Chromium's net_error_list.h: a site's 429 without a page is ERR_HTTP_RESPONSE_CODE_FAILURE",
    "unavailable": "Chromium's net_error_list.h: ERR_CONNECTION_RESET; Node's `socket hang up` of requests without the browser",
    "server_error": "the server's own sentence for a browser that is gone (tools/browser/base.ts, 1.0.12)",
    "auth_expired": "Chromium's net_error_list.h: ERR_INVALID_AUTH_CREDENTIALS",
    "timeout": "recorded: `Timeout 30000ms exceeded.` of Playwright 1.57.0",
}

_VERBS = ("get", "post", "put", "patch", "delete")


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _failed(hit, "rate_limited", "net::ERR_HTTP_RESPONSE_CODE_FAILURE", "Request failed with status 429")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _failed(hit, "unavailable", "net::ERR_CONNECTION_RESET", "socket hang up")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    if _verb(hit) is not None:
        return _failed(hit, "internal", "", "read ECONNRESET")
    return worded(hit, Refused("internal", "Browser is disconnected. Please retry the operation."))


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _failed(hit, "unauthorized", "net::ERR_INVALID_AUTH_CREDENTIALS", "Request failed with status 401")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    if (verb := _verb(hit)) is not None:
        return worded(
            hit,
            Refused("unavailable", f"API operation failed: apiRequestContext.{verb}: Timeout {TIMEOUT_MS}ms exceeded."),
        )
    return worded(
        hit, Refused("unavailable", f"Operation failed: page.goto: Timeout {TIMEOUT_MS}ms exceeded.{_log(hit)}")
    )


def browser_is_closed(context: AppContext, random: Random) -> bool:
    """Close the browser; the next call starts another one with a blank page."""
    row = context.first("browser")
    return row is not None and context.delete("browser", row["session"])


DRIFTS = {"browser_is_closed": browser_is_closed}


def _failed(hit: Hit, kind: ErrorKind, code: str, request: str) -> Answer:
    if (verb := _verb(hit)) is not None:
        return worded(hit, Refused(kind, f"API operation failed: apiRequestContext.{verb}: {request}"))
    where = hit.arguments.get("url") or "the page"
    return worded(hit, Refused(kind, f"Operation failed: page.goto: {code} at {where}{_log(hit)}"))


def _log(hit: Hit) -> str:
    return call_log(f'  - navigating to "{hit.arguments.get("url") or "the page"}", waiting until "load"')


def _verb(hit: Hit) -> str | None:
    """Return the HTTP verb of a tool that does not use the browser."""
    return next((verb for verb in _VERBS if hit.tool.name == f"playwright_{verb}"), None)
