"""How Slack's two MCP servers word what goes wrong around the Web API, and what colleagues change in a workspace.

The reference server passes the body on; the korotovsky server shows the errors of the Go library slack-go.
"""

from __future__ import annotations

from random import Random
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.slack.rules.timestamps import new_timestamp
from soundstage.servers.faults import Hit
from soundstage.servers.reply import Answer, Result, compact_json, text_block

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
    return _either(hit, "ratelimited", f"slack rate limit exceeded, retry after {hit.seconds}s", "rate_limited")


def unavailable(hit: Hit) -> Answer:
    return _either(hit, "service_unavailable", "slack server error: 503 Service Unavailable", "unavailable")


def server_error(hit: Hit) -> Answer:
    return _either(hit, "internal_error", "internal_error", "internal")


def auth_expired(hit: Hit) -> Answer:
    return _either(hit, "token_expired", "token_expired", "unauthorized")


def timeout(hit: Hit) -> Answer:
    if _is_reference(hit):
        return Result([text_block(compact_json({"error": "fetch failed"}))], ok=False, error_kind="unavailable")
    text = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    return Result([text_block(text)], ok=False, is_error=True, error_kind="unavailable")


def message_arrives(context: AppContext, random: Random) -> bool:
    """A colleague writes into a channel where somebody has written before."""
    count = context.count("message", {"bot_id": None})
    if not count:
        return False
    last = context.list("message", {"bot_id": None}, limit=1, offset=random.randrange(count))[0]
    ts = new_timestamp(context, last["channel"])
    kept: dict[str, Any] = {name: last[name] for name in ("channel", "user", "team") if name in last}
    context.create("message", {**kept, "type": "message", "ts": ts, "text": random.choice(_WORDS)})
    return True


def message_edited(context: AppContext, random: Random) -> bool:
    """Its author edits a message."""
    count = context.count("message", {"bot_id": None})
    if not count:
        return False
    old = context.list("message", {"bot_id": None}, limit=1, offset=random.randrange(count))[0]
    edited = {"user": old.get("user"), "ts": new_timestamp(context, old["channel"])}
    context.update(
        "message", (old["channel"], old["ts"]), {"text": f"{old.get('text', '')} (edit: tomorrow)", "edited": edited}
    )
    return True


DRIFTS = {"message_arrives": message_arrives, "message_edited": message_edited}


def _either(hit: Hit, code: str, text: str, kind: ErrorKind) -> Answer:
    if _is_reference(hit):
        return Result([text_block(compact_json({"ok": False, "error": code}))], ok=False, error_kind=kind)
    return Result([text_block(text)], ok=False, is_error=True, error_kind=kind)


def _is_reference(hit: Hit) -> bool:
    return hit.tool.name.startswith("slack_")
