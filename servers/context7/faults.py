"""Failures of the API's tools: statuses of its API, and errors of fetch without a response."""

from __future__ import annotations

from soundstage.kernels.context7.rules.server import Context7Error, api_failure, is_old
from soundstage.servers.faults import Hit, worded
from soundstage.servers.reply import Answer

_API = "@upstash/context7-mcp 4.1.1 and 1.0.14, lib/api.js: its text for the API's status"
SOURCES = {
    "rate_limit": f"{_API}, 429",
    "unavailable": f"{_API}, 503",
    "server_error": f"{_API}, 500",
    "auth_expired": f"{_API}, 401",
    "timeout": "@upstash/context7-mcp 4.1.1, lib/api.js: AbortSignal.timeout(60000) in its catch; 1.0.14 sets no limit: undici's",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _status(hit, 429)


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _status(hit, 503)


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _status(hit, 500)


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _status(hit, 401)


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    old = hit.context is not None and is_old(hit.context)
    error = "TypeError: fetch failed" if old else "TimeoutError: The operation was aborted due to timeout"
    if hit.tool.name == "resolve-library-id":
        return worded(hit, Context7Error("unavailable", f"Error searching libraries: {error}"))
    what = "documentation" if old else "context"
    return worded(hit, Context7Error("unavailable", f"Error fetching library {what}. Please try again later. {error}"))


def _status(hit: Hit, status: int) -> Answer:
    doing = "search libraries" if hit.tool.name == "resolve-library-id" else "fetch documentation"
    if hit.context is None:
        return worded(
            hit, Context7Error("unavailable", f"Request failed with status {status}. Please try again later.")
        )
    return worded(hit, api_failure(hit.context, status, doing))
