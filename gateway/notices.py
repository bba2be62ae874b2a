"""What a client is told over HTTP beside its answers: MCP's log notifications, and the streams on which they go.

Up to revision 2025-11-25 a client may hold a stream open (GET) on which it is told everything; who has none is told on the
response to its own request, as long as that may be a stream. Since 2026-07-28 there is the response alone, and only for a
client that asks for log notifications with the request. A message goes one way, never several.
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
"""A session's id, and the person of a seat in it; None for whom the session belongs to."""


def is_wanted(version: str, meta: object) -> bool:
    """Whether a client takes notices with a request of this revision and with this `_meta`."""
    return LEVEL in allowed_log_levels(version, meta if isinstance(meta, Mapping) else None)


def takes_events(headers: Headers) -> bool:
    """Whether the response to a request may be a stream. A client that takes anything hardly means one."""
    return "text/event-stream" in headers.get("accept", "").lower()


def notification(text: str) -> dict[str, Any]:
    """A notice as the JSON-RPC message."""
    params = {"level": LEVEL, "logger": LOGGER, "data": text}
    return {"jsonrpc": "2.0", "method": "notifications/message", "params": params}


def event_bytes(message: Mapping[str, Any] | bytes) -> bytes:
    """A JSON-RPC message, or its JSON without a line end, as one server-sent event."""
    written = message if isinstance(message, bytes) else orjson.dumps(message)
    return b"event: message\r\ndata: " + written + b"\r\n\r\n"


class Streams:
    """The streams that clients of this process hold open, each by whose they are."""

    def __init__(self) -> None:
        self._open: dict[Whose, list[Send]] = {}

    @contextmanager
    def held_by(self, whose: Whose, send: Send) -> Iterator[Send]:
        """Serve a request for a stream within the block, through the `send` that it gives."""

        async def begin(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.start" and message["status"] == 200:
                self._open.setdefault(whose, []).append(send)

        try:
            yield begin
        finally:
            held = self._open.get(whose, [])
            if send in held:
                held.remove(send)
            if not held:
                self._open.pop(whose, None)

    async def tell(self, whose: Whose, message: Mapping[str, Any]) -> bool:
        """Tell it on the newest stream; False where there is none."""
        held = self._open.get(whose)
        if not held:
            return False
        await held[-1]({"type": "http.response.body", "body": event_bytes(message), "more_body": True})
        return True
