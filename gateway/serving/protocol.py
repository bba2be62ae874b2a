"""HTTP on one connection: uvicorn's protocol with single writes, limited heads, JSON errors, read timeouts and aborts."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from soundstage.gateway import metrics
from soundstage.gateway.delivery import BREAK_OFF
from soundstage.gateway.log import log

if TYPE_CHECKING:
    from collections.abc import Iterable

    from uvicorn._types import ASGI3Application
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

MOST_HEAD_BYTES = 64 * 1024


class CoalescingTransport:
    """A connection's transport that sends everything written in one iteration of the event loop at once.

    uvicorn writes the head of a response and its body one after the other. Each write would be a system call, a packet, and a
    client that wakes up for half a response.
    """

    __slots__ = (
        "_call_soon", "_chunks", "_transport", "get_extra_info", "is_closing", "pause_reading", "resume_reading", "set_protocol",
    )  # fmt: skip

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._call_soon = asyncio.get_running_loop().call_soon
        self._chunks: list[bytes] = []
        self.is_closing = transport.is_closing
        self.pause_reading, self.resume_reading = transport.pause_reading, transport.resume_reading
        self.get_extra_info, self.set_protocol = transport.get_extra_info, transport.set_protocol

    def write(self, data: bytes) -> None:
        """Collect data that is written in the same turn of the event loop."""
        if not self._chunks:
            self._call_soon(self._send)
        self._chunks.append(data)

    def close(self) -> None:
        """Close the connection after sending everything."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """Close the connection at once."""
        self._chunks.clear()
        self._transport.abort()

    def _send(self) -> None:
        chunks, self._chunks = self._chunks, []
        if chunks and not self.is_closing():  # the client may have disconnected meanwhile
            self._transport.writelines(chunks)


class GatewayProtocol(HttpToolsProtocol):
    """One connection. It reports what it waits for; `RequestTimeouts` checks the timeouts of all connections."""

    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wrap the transport, so that the parts of a response leave together."""
        super().connection_made(CoalescingTransport(transport))  # type: ignore[arg-type]

    def on_message_begin(self) -> None:
        """Give the application the extension that breaks off a connection."""
        super().on_message_begin()
        self.scope["extensions"] = {BREAK_OFF: {"close": self.transport.close}}

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Hide an exception from uvicorn if the application has already answered for it, as Starlette does before it re-raises.

        uvicorn would close the connection, on which the client may have sent its next request.
        """

        async def answering(*request: Any) -> None:
            try:
                await app(*request)
            except Exception:
                if not cycle.response_complete:
                    raise
                log.exception("a request failed", method=cycle.scope["method"])

        super()._start_asgi_task(cycle, answering)

    def data_received(self, data: bytes) -> None:
        """Parse data, and count the bytes of an incomplete request head."""
        if self.awaits_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if not self.awaits_head:
            self._head_bytes = 0
        elif self._head_bytes > MOST_HEAD_BYTES and not self.answering:
            self.refuse(431, f"the head of the request is too large; at most {MOST_HEAD_BYTES} bytes are taken")

    @property
    def awaits_head(self) -> bool:
        """Whether the head of the first request, or of one that has begun, is still incomplete."""
        # A scope is created with the first byte of a request, its cycle with the last byte of its head.
        return self.scope is None or self.cycle is None or self.cycle.scope is not self.scope

    @property
    def awaits_body(self) -> bool:
        """Whether the newest request's body is being read and still incomplete."""
        return self.cycle is not None and self.cycle.more_body and not self.flow.read_paused

    @property
    def answering(self) -> bool:
        """Whether a response is being created or sent."""
        return self.cycle is not None and not self.cycle.response_complete

    def refuse(self, status: int, message: str) -> None:
        """Reject an incomplete request, and close the connection."""
        if self.transport.is_closing():
            return
        content = orjson.dumps({"error": message})
        head = [STATUS_LINE[status]]
        head += [b"%s: %s\r\n" % pair for pair in self.server_state.default_headers]
        head += [b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(content)]
        self.transport.write(b"".join([*head, content]))
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Answer 400 to data that is not HTTP/1.1."""
        self.refuse(HTTPStatus.BAD_REQUEST, "this is not an HTTP/1.1 request")


class RequestTimeouts:
    """Closes connections with incomplete requests.

    A head must be complete `head_s` seconds after the start of the connection or the request's first byte, a body within
    `body_s`. Responses have no time limit.
    """

    def __init__(self, head_s: float, body_s: float) -> None:
        self._head_s = head_s
        self._body_s = body_s
        self._since: dict[
            GatewayProtocol, tuple[object, float]
        ] = {}  # the request that a connection waits for, and the time since when

    def look(self, connections: Iterable[Any], now: float) -> None:
        """Check all connections. `now` is on a monotonic clock."""
        before, self._since = self._since, {}
        for connection in list(connections):
            awaited = _awaited(connection)
            if awaited is None:
                continue
            since = before.get(connection, (None, now))
            since = since if since[0] is awaited else (awaited, now)
            self._since[connection] = since
            waited = now - since[1]
            if connection.awaits_head:
                if waited >= self._head_s:
                    _give_up(connection, f"the head of the request was not there within {self._head_s:g} s")
            elif waited >= self._body_s:
                _give_up(connection, f"the body of the request was not there within {self._body_s:g} s")


def _awaited(connection: GatewayProtocol) -> object | None:
    """Return the request that is incomplete; None if only the server is awaited."""
    if connection.awaits_head:
        return None if connection.answering else connection.scope or connection
    if connection.awaits_body and not (connection.cycle.response_started and connection.answering):
        return connection.cycle
    return None


def _give_up(connection: GatewayProtocol, why: str) -> None:
    metrics.REFUSED.labels("slow").inc()
    if connection.scope is None or not (connection.answering or connection.awaits_head):
        connection.transport.close()  # it has sent nothing since its last response, so there is nothing to report
    else:
        connection.refuse(HTTPStatus.REQUEST_TIMEOUT, why)
