"""Raw HTTP over one connection: requests sent byte by byte if needed, and responses read to their end."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

TIMEOUT_S = 15.0


class Broken(Exception):
    """The server closed the connection instead of sending a response."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def last(self) -> bool:
        """Return whether the server announced this as the connection's last response."""
        return self.headers.get("connection", "").lower() == "close"


class Connection:
    """One connection to a server, open until it is closed explicitly."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._host = f"{parts.hostname}:{parts.port}"
        self.socket = socket.create_connection((parts.hostname, parts.port), TIMEOUT_S)
        self._received = b""

    def request(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> bytes:
        """Return the bytes of a request."""
        content = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self._host}", f"Content-Length: {len(content)}"]
        lines += ["Content-Type: application/json"] if content else []
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        return "\r\n".join([*lines, "", ""]).encode() + content

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Response:
        """Send a request and read its response.

        Raises:
            Broken, OSError: if there is no response.
        """
        self.send(self.request(method, path, body, headers))
        return self.response()

    def response(self) -> Response:
        head = self._until(b"\r\n\r\n").decode()
        first, *rest = head.rstrip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        body = b""
        if headers.get("transfer-encoding") == "chunked":
            while size := int(self._until(b"\r\n"), 16):
                body += self._exactly(size + 2)[:-2]
            self._until(b"\r\n")
        else:
            body = self._exactly(int(headers.get("content-length", 0)))
        return Response(int(first.split()[1]), headers, body)

    def until_closed(self) -> bytes:
        """Return the bytes that the server still sends before it closes the connection.

        Raises:
            TimeoutError: if it leaves the connection open.
        """
        sent = b""
        try:
            while data := self.socket.recv(65536):
                sent += data
        except ConnectionResetError:
            pass
        return sent

    def close(self) -> None:
        self.socket.close()

    def _until(self, end: bytes) -> bytes:
        while end not in self._received:
            self._more()
        line, _, self._received = self._received.partition(end)
        return line + end

    def _exactly(self, size: int) -> bytes:
        while len(self._received) < size:
            self._more()
        body, self._received = self._received[:size], self._received[size:]
        return body

    def _more(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise Broken(f"after {self._received!r}")
        self._received += data
