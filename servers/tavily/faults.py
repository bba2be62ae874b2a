"""Failures of Tavily's API: two statuses with messages of the server, the others in axios's words."""

from __future__ import annotations

from soundstage.kernels.tavily.rules.errors import Thrown
from soundstage.servers.faults import Hit, said, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "tavily-mcp 0.2.9, build/index.js: HTTP 429 is thrown as `Usage limit exceeded`",
    "unavailable": "axios 1.x: an unsuccessful status",
    "server_error": "axios 1.x: an unsuccessful status",
    "auth_expired": "tavily-mcp 0.2.9, build/index.js: HTTP 401 is thrown as `Invalid API key`",
    "timeout": "axios on Node, of a failed connection; the server sets no limit itself",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return worded(hit, Thrown("rate_limited", "Usage limit exceeded"))


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return said(hit, "Request failed with status code 503", "unavailable")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return said(hit, "Request failed with status code 500", "internal")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return worded(hit, Thrown("unauthorized", "Invalid API key"))


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return said(hit, "connect ETIMEDOUT 203.0.113.24:443", "unavailable")
