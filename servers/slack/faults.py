"""Slack's faults: errors of the Web API in both servers, and drifts caused by colleagues.

The reference server passes the body on; the korotovsky server shows the errors of the Go library slack-go.
"""

from __future__ import annotations

from random import Random
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.slack.rules.timestamps import new_timestamp
from soundstage.servers.faults import Hit, any_row, said, worded
from soundstage.servers.reply import Answer
from soundstage.servers.slack import dialect

SOURCES = {
    "rate_limit": "https://docs.slack.dev/apis/web-api/rate-limits; slack-go's RateLimitedError",
    "unavailable": "https://docs.slack.dev/reference/methods/chat.postMessage (service_unavailable); slack-go's StatusCodeError",
    "server_error": "https://docs.slack.dev/reference/methods/chat.postMessage (internal_error, fatal_error)",
    "auth_expired": "https://docs.slack.dev/reference/methods/auth.test (token_expired)",
    "timeout": "what fetch of Node.js and net/http of Go say when no answer comes",
}
_WORDS = (
    "Heads-up: the build is red again.",
    "I moved the call sheet, see the thread.",
    "Anyone free for a quick look?",
)


def rate_limit(hit: Hit) -> Answer:
    """Word a rate limit."""
    return _either(hit, "ratelimited", f"slack rate limit exceeded, retry after {hit.seconds}s")


def unavailable(hit: Hit) -> Answer:
    """Word an unavailable service."""
    return _either(hit, "service_unavailable", "slack server error: 503 Service Unavailable")


def server_error(hit: Hit) -> Answer:
    """Word an internal error."""
    return _either(hit, "internal_error", "internal_error")


def auth_expired(hit: Hit) -> Answer:
    """Word an expired token."""
    return _either(hit, "token_expired", "token_expired")


def timeout(hit: Hit) -> Answer:
    """Word a request that got no response."""
    go = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    return said(hit, "fetch failed" if dialect.is_reference(hit.tool.name) else go, "unavailable")


def message_arrives(context: AppContext, random: Random) -> bool:
    """Add a message of an earlier author to the same channel."""
    last = any_row(context, "message", random, {"bot_id": None})
    if last is None:
        return False
    ts = new_timestamp(context, last["channel"])
    place_fields: dict[str, Any] = {name: last[name] for name in ("channel", "user", "team") if name in last}
    context.create("message", {**place_fields, "type": "message", "ts": ts, "text": random.choice(_WORDS)})
    return True


def message_edited(context: AppContext, random: Random) -> bool:
    """Edit a message on behalf of its author."""
    old = any_row(context, "message", random, {"bot_id": None})
    if old is None:
        return False
    edited = {"user": old.get("user"), "ts": new_timestamp(context, old["channel"])}
    context.update(
        "message", (old["channel"], old["ts"]), {"text": f"{old.get('text', '')} (edit: tomorrow)", "edited": edited}
    )
    return True


DRIFTS = {"message_arrives": message_arrives, "message_edited": message_edited}


def _either(hit: Hit, code: str, text: str) -> Answer:
    error = SlackError(code)
    return worded(hit, error) if dialect.is_reference(hit.tool.name) else said(hit, text, error.kind)
