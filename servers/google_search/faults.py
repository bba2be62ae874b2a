"""Failures around the server: Google's messages for searches, axios's for pages."""

from __future__ import annotations

from soundstage.kernels.errors import ErrorKind
from soundstage.servers.faults import Hit, said
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "Google APIs' error model, RESOURCE_EXHAUSTED; axios for pages (HTTP 429)",
    "unavailable": "Google APIs' error model, UNAVAILABLE; axios for pages (HTTP 503)",
    "server_error": "Google APIs' error model, INTERNAL; axios for pages (HTTP 500)",
    "auth_expired": "Google APIs, API_KEY_INVALID of a key that has expired; axios for pages (HTTP 401)",
    "timeout": "axios on Node, of a failed connection; the server sets no limit itself",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    quota = "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user'"
    words = f"{quota} of service 'customsearch.googleapis.com' for consumer 'project_number:000000000000'."
    return _answer(hit, words, 429, "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _answer(hit, "The service is currently unavailable.", 503, "unavailable")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _answer(hit, "Internal error encountered.", 500, "internal")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _answer(hit, "API key expired. Please renew the API key.", 401, "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return said(hit, "connect ETIMEDOUT 203.0.113.74:443", "unavailable")


def _answer(hit: Hit, google: str, status: int, kind: ErrorKind) -> Answer:
    return said(hit, google if hit.tool.name == "search" else f"Request failed with status code {status}", kind)
