"""HTTP/1.1 over one persistent connection to this machine, with minimal client work."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

HOST = "127.0.0.1"
_AT_ONCE = 1024**2


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response; header names are in lower case."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


class Connection(asyncio.BufferedProtocol):
    """One connection with one request at a time.

    It reads all available bytes at once, because small reads make the server wake up for each of them.
    """

    def __init__(self) -> None:
        self._buffer = bytearray(_AT_ONCE)
        self._filled = 0
        self._head: tuple[int, dict[bytes, bytes], int] | None = None  # and where the body begins
        self._waiting: asyncio.Future[Reply] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport of the new connection."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one without deriving from it

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the pending request."""
        self._transport = None
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(exc or ConnectionResetError("the server closed the connection"))

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer that the transport writes into."""
        if self._filled == len(self._buffer):
            self._buffer = self._buffer + bytes(len(self._buffer))  # the old one may still be lent
        return memoryview(self._buffer)[self._filled :]

    def buffer_updated(self, nbytes: int) -> None:
        """Parse the received bytes."""
        self._filled += nbytes
        if self._head is None:
            end = self._buffer.find(b"\r\n\r\n", 0, self._filled)
            if end < 0:
                return
            self._head = (*_parse_head(bytes(self._buffer[:end])), end + 4)
        status, headers, start = self._head
        end = start + int(headers.get(b"content-length", b"0"))
        if self._filled < end or self._waiting is None:
            return
        reply = Reply(status, headers, bytes(memoryview(self._buffer)[start:end]))
        self._buffer[: self._filled - end] = self._buffer[end : self._filled]
        self._filled -= end
        self._head, waiting, self._waiting = None, self._waiting, None
        if b"transfer-encoding" in headers:
            waiting.set_exception(ValueError("the reply came in chunks; this client reads replies of a known length"))
        else:
            waiting.set_result(reply)

    async def request(self, data: bytes) -> Reply:
        """Send a whole request and wait for the whole response."""
        if self._transport is None:
            raise ConnectionResetError("the server closed the connection")
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(data)
        return await self._waiting

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.close()


async def connect(port: int) -> Connection:
    """A connection to a server on this machine."""
    _, connection = await asyncio.get_running_loop().create_connection(Connection, HOST, port)
    return connection


def frame(method: str, path: str, port: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> bytes:
    """A request as bytes. Bodies are JSON."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}:{port}", f"Content-Length: {len(body)}"]
    lines += ["Content-Type: application/json"] if body else []
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def _parse_head(head: bytes) -> tuple[int, dict[bytes, bytes]]:
    first, *rest = head.split(b"\r\n")
    headers: dict[bytes, bytes] = {}
    for line in rest:
        name, _, value = line.partition(b":")
        headers[name.strip().lower()] = value.strip()
    return int(first.split(b" ", 2)[1]), headers
