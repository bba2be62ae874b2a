"""Find the session of a connection's first request from bytes that stay unread in the socket."""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass

import httptools
from starlette.routing import compile_path

from soundstage.gateway.settings import DEFAULT_SESSION

MOST_BYTES = 16 * 1024
"""Longer heads are read by the process that serves them."""

_ADDRESSES = tuple(compile_path(path)[0] for path in ("/s/{handle}/mcp", "/s/{handle}/{app}/mcp"))
_BY_CREDENTIAL = compile_path("/mcp")[0]


@dataclass(frozen=True, slots=True)
class Head:
    """The relevant part of a request's head. Without a `handle`, any process can serve it."""

    handle: str | None


def read_head(received: bytes) -> Head | None:
    """Parse the first request's head; None while it is incomplete. Bytes that are not HTTP have no handle."""
    reader = _Reader()
    parser = httptools.HttpRequestParser(reader)
    try:
        parser.feed_data(received)
    except httptools.HttpParserUpgrade:
        pass
    except httptools.HttpParserError:
        if not reader.complete:
            return Head(None)
    return Head(_handle(reader)) if reader.complete else None


def _handle(read: _Reader) -> str | None:
    try:
        path = urllib.parse.unquote(httptools.parse_url(read.url).path.decode("ascii"))
    except (httptools.HttpParserError, UnicodeDecodeError, AttributeError):  # a missing or invalid path
        return None
    for address in _ADDRESSES:
        if (match := address.match(path)) is not None:
            return match["handle"]
    if _BY_CREDENTIAL.match(path) is None:
        return None
    scheme, _, token = (read.credential or b"").decode("latin-1").partition(" ")
    if not token:
        return DEFAULT_SESSION
    return token.strip() if scheme.lower() == "bearer" else None


class _Reader:
    """The parser's callbacks."""

    def __init__(self) -> None:
        self.url = b""
        self.credential: bytes | None = None
        self.complete = False

    def on_url(self, url: bytes) -> None:
        if not self.complete:
            self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.complete and self.credential is None and name.lower() == b"authorization":
            self.credential = value

    def on_headers_complete(self) -> None:
        self.complete = True
