"""One HTTP request of a client to an upstream's address, and the response."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.types import Send

from soundstage.gateway.notices import EVENT_STREAM, event_bytes
from soundstage.gateway.revisions import is_modern
from soundstage.gateway.upstream.messages import SESSION_HEADER, VERSION_HEADER, Message
from soundstage.gateway.upstream.network import Header
from soundstage.gateway.upstream.recording import UpstreamCall

JSON_TYPE: Header = (b"content-type", b"application/json")


@dataclass(slots=True)
class Incoming:
    """A request. `message` is the decoded body of a POST; `call` is set if the message calls a tool."""

    method: str
    headers: Headers
    body: bytes
    message: Message
    call: UpstreamCall | None

    @property
    def modern(self) -> bool:
        """Whether the client uses the revision 2026-07-28."""
        return is_modern(self.headers.get(VERSION_HEADER))

    @property
    def session_id(self) -> str | None:
        """The transport session that the client names, or None."""
        return self.headers.get(SESSION_HEADER)

    @property
    def is_request(self) -> bool:
        """Whether the message expects a response."""
        return "method" in self.message and "id" in self.message

    @property
    def params(self) -> dict[str, Any]:
        """The message's parameters; empty without any."""
        params = self.message.get("params")
        return params if isinstance(params, dict) else {}


class Reply:
    """The response to one request, which can be streamed."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def whole(self, status: int, body: bytes = b"", headers: Sequence[Header] = ()) -> None:
        """Send a complete response."""
        self.started = True
        length = (b"content-length", b"%d" % len(body))
        await self._send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        await self._send({"type": "http.response.body", "body": body})

    async def message(self, message: Message, status: int = 200, headers: Sequence[Header] = ()) -> None:
        """Send one JSON-RPC message as the whole response."""
        await self.whole(status, orjson.dumps(message), [JSON_TYPE, *headers])

    async def open_stream(self) -> None:
        """Begin an event stream."""
        self.started = True
        await self._send({"type": "http.response.start", "status": 200, "headers": EVENT_STREAM})

    async def write(self, data: bytes) -> None:
        """Send a part of an open stream."""
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def event(self, message: Message) -> None:
        """Send a message as a server-sent event."""
        await self.write(event_bytes(message))

    async def end(self) -> None:
        """End an open stream."""
        await self._send({"type": "http.response.body", "body": b""})


def new_session_id() -> str:
    """Return a random id for a transport session."""
    return secrets.token_hex(16)
