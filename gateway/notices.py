"""Notices to HTTP clients in addition to answers: MCP's log notifications, and the streams that carry them.

Up to revision 2025-11-25 a client may hold a stream open (GET) for all messages; other clients receive a notice on the response
to their own request, if that may be a stream. Since 2026-07-28 there is only the response, and only for a client that requests
log notifications. A message is sent once, never on several streams.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import mcp_types as types
import orjson
from mcp.server.connection import allowed_log_levels
from starlette.datastructures import Headers
from starlette.types import Message, Send

EVENT_STREAM: list[tuple[bytes, bytes]] = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]
"""The headers of a stream of server-sent events."""

LEVEL: types.LoggingLevel = "notice"
LOGGER = "user"

Whose = tuple[str, str | None]
"""A session's id, and the person of a seat in it; None for the session's own agent."""


def is_wanted(version: str, meta: object) -> bool:
    """Whether a client accepts notices with a request of this revision and this `_meta`."""
    return LEVEL in allowed_log_levels(version, meta if isinstance(meta, Mapping) else None)


def takes_events(headers: Headers) -> bool:
    """Whether the response may be a stream. `Accept: */*` is not sufficient."""
    return "text/event-stream" in headers.get("accept", "").lower()


def notification(text: str) -> dict[str, Any]:
    """Return a notice as a JSON-RPC message."""
    params = {"level": LEVEL, "logger": LOGGER, "data": text}
    return {"jsonrpc": "2.0", "method": "notifications/message", "params": params}


def event_bytes(message: Mapping[str, Any] | bytes) -> bytes:
    """Format a JSON-RPC message, or its JSON without a line end, as one server-sent event."""
    written = message if isinstance(message, bytes) else orjson.dumps(message)
    return b"event: message\r\ndata: " + written + b"\r\n\r\n"


class Streams:
    """The open streams of this process's clients, by session and person."""

    def __init__(self) -> None:
        self._open: dict[Whose, list[Send]] = {}

    @contextmanager
    def held_by(self, whose: Whose, send: Send) -> Iterator[Send]:
        """Register a stream for the block; serve it through the yielded `send`."""

        async def begin(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.start" and message["status"] == 200:
                self._open.setdefault(whose, []).append(send)

        try:
            yield begin
        finally:
            streams = self._open.get(whose, [])
            if send in streams:
                streams.remove(send)
            if not streams:
                self._open.pop(whose, None)

    async def tell(self, whose: Whose, message: Mapping[str, Any]) -> bool:
        """Send a message on the newest stream. Returns False if there is none."""
        streams = self._open.get(whose)
        if not streams:
            return False
        await streams[-1]({"type": "http.response.body", "body": event_bytes(message), "more_body": True})
        return True
