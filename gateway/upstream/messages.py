"""JSON-RPC messages on the wire: parsed from bodies and event streams, and serialized."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import orjson
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types import INTERNAL_ERROR
from mcp_types.version import LATEST_MODERN_VERSION

Message = dict[str, Any]
"""One decoded JSON-RPC message."""

MAX_MESSAGE = 64 * 1024 * 1024
LEGACY_VERSION = "2025-11-25"
MODERN_VERSION = LATEST_MODERN_VERSION
SESSION_HEADER = "mcp-session-id"
VERSION_HEADER = MCP_PROTOCOL_VERSION_HEADER
_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r")


class UpstreamFailure(Exception):
    """An upstream did not answer as MCP has it. The message names it and is for operators and the log.

    `public` is the message for agents: without paths, commands, addresses or the output of the upstream's process. It is the
    same unless given. `status` is the HTTP status if no JSON-RPC request waits for an answer.
    """

    def __init__(self, message: str, *, status: int = 502, public: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.public = message if public is None else public


def is_response(message: Message) -> bool:
    """Whether a message is a response."""
    return "method" not in message and ("result" in message or "error" in message)


def error_message(request_id: Any, text: str, code: int = INTERNAL_ERROR, data: Any = None) -> Message:
    """Create a JSON-RPC error."""
    error: Message = {"code": code, "message": text}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def checked_answer(upstream: str, message: Message) -> Message:
    """Check that a response's result or error has the form of JSON-RPC and MCP.

    Raises:
        UpstreamFailure: it does not.
    """
    error = message.get("error")
    if isinstance(message.get("result"), dict) or (
        isinstance(error, dict) and isinstance(error.get("code"), int) and isinstance(error.get("message"), str)
    ):
        return message
    raise UpstreamFailure(f"the upstream {upstream!r} answered with neither a result nor an error")


def parse_message(data: bytes | str) -> Message | None:
    """Parse the message in a body, line or event; None if there is none."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) and value.get("jsonrpc") == "2.0" else None


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event: its raw bytes and its parsed message."""

    raw: bytes
    name: str
    data: bytes
    has_id: bool


class EventReader:
    """Splits a byte stream into events."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that are complete with this chunk.

        Raises:
            ValueError: an event is too large.
        """
        self._buffer += chunk
        events: list[Event] = []
        while (end := _BLANK_LINE.search(self._buffer, self._searched)) is not None:
            events.append(_event(bytes(self._buffer[: end.end()])))
            del self._buffer[: end.end()]
            self._searched = 0
        self._searched = max(0, len(self._buffer) - 3)
        if len(self._buffer) > MAX_MESSAGE:
            raise ValueError("an event is too large")
        return events


def _event(raw: bytes) -> Event:
    name, data, has_id = "message", [], False
    for line in raw.splitlines():
        member, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if member == b"data":
            data.append(value)
        elif member == b"event":
            name = value.decode("utf-8", "replace")
        elif member == b"id":
            has_id = True
    return Event(raw, name, b"\n".join(data), has_id)
