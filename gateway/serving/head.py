"""Which session a connection's first request is for, read from bytes that stay where they are."""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass

import httptools
from starlette.routing import compile_path

from soundstage.gateway.settings import DEFAULT_SESSION

MOST_BYTES = 16 * 1024
"""A head that is longer than this is read by whoever serves it."""

_ADDRESSES = tuple(compile_path(path)[0] for path in ("/s/{handle}/mcp", "/s/{handle}/{app}/mcp"))
_BY_CREDENTIAL = compile_path("/mcp")[0]


@dataclass(frozen=True, slots=True)
class Head:
    """A request's head, as far as it matters here. `handle` None: any process can serve it."""

    handle: str | None


def read_head(received: bytes) -> Head | None:
    """What the first request is for; None while its head is not complete. Bytes that are no HTTP are for nobody."""
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
    except (httptools.HttpParserError, UnicodeDecodeError, AttributeError):  # no path, or none that is one
        return None
    for address in _ADDRESSES:
        if (found := address.match(path)) is not None:
            return found["handle"]
    if _BY_CREDENTIAL.match(path) is None:
        return None
    scheme, _, token = (read.credential or b"").decode("latin-1").partition(" ")
    if not token:
        return DEFAULT_SESSION
    return token.strip() if scheme.lower() == "bearer" else None


class _Reader:
    """What the parser calls."""

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
