"""Lark's faults: errors of its API, and drifts caused by colleagues.

The MCP server shows the Open API's body as JSON or, without a body, the message of its HTTP client. It drops headers,
so the delay after a rate limit is unknown.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.lark.rules.errors import LarkError, LarkServerError
from soundstage.servers.faults import Hit, any_row, said, worded
from soundstage.servers.reply import Answer

_HANDLER = "https://github.com/larksuite/lark-openapi-mcp/blob/main/src/mcp-tool/utils/handler.ts"
SOURCES = {
    "rate_limit": "https://open.feishu.cn/document/server-docs/api-call-guide/frequency-control (HTTP 429, code 99991400)",
    "unavailable": f"{_HANDLER}: axios's message where a 503 has no body",
    "server_error": "https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code (HTTP 500)",
    "auth_expired": "recorded reply of the real server (99991663; with useUAT its own sentence)",
    "timeout": f"{_HANDLER}: axios's message where no answer comes",
}
_AN_HOUR_S = 3600
_WORDS = (
    "Running ten minutes late, please start without me.",
    "Can somebody else take this one?",
    "Done, have a look.",
)


def rate_limit(hit: Hit) -> Answer:
    """Word a rate limit."""
    return _body(hit, 99991400, "request trigger frequency limit", 429, "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Word an unavailable service."""
    return said(hit, "Request failed with status code 503", "unavailable")


def server_error(hit: Hit) -> Answer:
    """Word an internal error."""
    return _body(hit, 1500, "Internal Error", 500, "internal")


def auth_expired(hit: Hit) -> Answer:
    """Word an expired token."""
    if hit.arguments.get("useUAT") is True:
        payload = {"errorMessage": "Current user_access_token is invalid or expired", "instruction": ""}
        return worded(hit, LarkServerError(payload, kind="unauthorized"))
    message = "Invalid access token for authorization. Please make a request with token attached."
    return _body(hit, 99991663, message, 400, "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Word a timeout."""
    return said(hit, f"timeout of {hit.seconds * 1000}ms exceeded", "unavailable")


def message_arrives(context: AppContext, random: Random) -> bool:
    """Add a message of an earlier author to the same chat."""
    last = any_row(context, "message", random)
    if last is None or (last.get("sender") or {}).get("sender_type") != "user":
        return False
    now = str(to_ms(context.now()))
    body = {"content": json.dumps({"text": random.choice(_WORDS)}, ensure_ascii=False)}
    own = {"message_id": context.new_id("message"), "msg_type": "text", "create_time": now, "update_time": now}
    message_fields: dict[str, Any] = {
        name: last[name] for name in ("chat_id", "sender", "deleted", "updated") if name in last
    }
    context.create("message", {**message_fields, **own, "body": body})
    return True


def event_moves(context: AppContext, random: Random) -> bool:
    """Move an event by an hour on behalf of its organizer."""
    event = any_row(context, "calendar_event", random)
    times = {n: dict(event[n]) for n in ("start_time", "end_time") if event and "timestamp" in (event.get(n) or {})}
    if event is None or len(times) < 2:
        return False
    for time in times.values():
        time["timestamp"] = str(int(time["timestamp"]) + _AN_HOUR_S)
    context.update("calendar_event", event["event_id"], times)
    return True


def document_edited(context: AppContext, random: Random) -> bool:
    """Add a line to a document."""
    document = any_row(context, "document", random)
    if document is None:
        return False
    content = f"{document.get('content', '')}\n{random.choice(_WORDS)}"
    context.update("document", document["document_id"], {"content": content})
    return True


DRIFTS = {"message_arrives": message_arrives, "event_moves": event_moves, "document_edited": document_edited}


def _body(hit: Hit, code: int, message: str, http: int, kind: ErrorKind) -> Answer:
    return worded(hit, LarkError(code, message, http=http, kind=kind))
