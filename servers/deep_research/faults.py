"""Failures of searches, which the server ignores: its prompt then looks as if there were no keywords."""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deep_research.rules.errors import NoKey
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.servers.faults import Hit, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "Tavily's 429 in the words of its client, @tavily/core 0.3",
    "unavailable": "Tavily's 503 in the words of its client",
    "server_error": "Tavily's 500 in the words of its client",
    "auth_expired": "the server's own words where it has no key",
    "timeout": "the words of Tavily's client after its 60 seconds",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _refused(hit, "rate_limited", "429 Error: Your request has been blocked due to excessive requests.")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _refused(hit, "unavailable", "503 Error: Service Unavailable")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _refused(hit, "internal", "500 Error: Internal Server Error")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return worded(hit, NoKey())


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return _refused(hit, "unavailable", "Request timed out after 60 seconds.")


def key_is_withdrawn(context: AppContext, random: Random) -> bool:
    """Tavily revokes the server's key."""
    key = context.first("api_key")
    if key is None:
        context.create("api_key", {"valid": False})
    else:
        context.update("api_key", key["name"], {"valid": False})
    return True


DRIFTS = {"key_is_withdrawn": key_is_withdrawn}


def _refused(hit: Hit, kind: ErrorKind, words: str) -> Answer:
    return worded(hit, AppError(kind, words))
