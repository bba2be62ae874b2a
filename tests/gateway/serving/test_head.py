"""The session of a connection equals the session of its first request, however slowly the head arrives."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from soundstage.gateway.serving.head import Head, read_head
from soundstage.gateway.settings import DEFAULT_SESSION

_NAMES = st.text(st.characters(exclude_characters="/?#\r\n \x00", exclude_categories=["Cs"]), min_size=1, max_size=12)
_SEGMENTS = st.one_of(_NAMES, st.sampled_from(["mcp", "s", "lark", "%2F", "%20x", "a%", "%e4%bd", "default", ""]))
_PATHS = st.one_of(
    st.builds("/s/{}/mcp".format, _SEGMENTS),
    st.builds("/s/{}/{}/mcp".format, _SEGMENTS, _SEGMENTS),
    st.lists(_SEGMENTS, max_size=5).map(lambda parts: "/" + "/".join(parts)),
    st.sampled_from(["/mcp", "/mcp?x=1", "/mcp#f", "http://h/s/x/mcp", "*", "/mcp%0A", "/s/a%2Fb/mcp"]),
)
_CREDENTIALS = st.sampled_from(["Bearer tok", "bearer  tok ", "Basic tok", "Bearer", "", "Bearer é", "  Bearer x\t"])
_HEADS = st.builds(
    lambda method, path, named, value, twice: (
        f"{method} {path} HTTP/1.1\r\nHost: h\r\n"
        + (f"{named}: {value}\r\n" if named else "")
        + ("Authorization: Bearer second\r\n" if twice else "")
        + "\r\n"
    ).encode("utf-8"),
    st.sampled_from(["GET", "POST", "DELETE", "OPTIONS", "NONE"]),
    _PATHS,
    st.sampled_from(["", "Authorization", "AUTHORIZATION", "X-Authorization"]),
    _CREDENTIALS,
    st.booleans(),
)


class _Wire(asyncio.Transport):
    """A transport that discards everything."""

    def write(self, data: Any) -> None: ...
    def close(self) -> None: ...
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def is_closing(self) -> bool:
        return False


def _as_served(head: bytes) -> str | None:
    """Return the session that the gateway's server and router choose by the address, or None if there is none."""
    handles: list[str | None] = []

    async def address(request: Request) -> Response:
        if (handle := request.path_params.get("handle")) is not None:
            handles.append(handle)
        else:
            scheme, _, token = request.headers.get("authorization", "").partition(" ")
            handles.append(DEFAULT_SESSION if not token else token.strip() if scheme.lower() == "bearer" else None)
        return Response()

    every = [Route(p, address, methods=None) for p in ("/s/{handle}/mcp", "/s/{handle}/{app}/mcp", "/mcp")]
    for route in every:
        route.methods = set()

    async def serve() -> None:
        config = uvicorn.Config(Starlette(routes=every), log_config=None, lifespan="off")
        protocol = HttpToolsProtocol(config, ServerState(), {}, asyncio.get_running_loop())
        protocol.connection_made(_Wire())
        protocol.data_received(head)
        await asyncio.gather(*protocol.tasks)
        protocol.connection_lost(None)

    asyncio.run(serve())
    return handles[0] if handles else None


@given(_HEADS)
def test_the_session_equals_that_of_the_router(head: bytes) -> None:
    assert (read_head(head) or Head(None)).handle == _as_served(head)


@given(_HEADS, st.data())
def test_the_session_is_known_exactly_when_the_head_is_complete(head: bytes, data: st.DataObject) -> None:
    whole = read_head(head)
    assert whole is not None
    part = read_head(head[: data.draw(st.integers(0, len(head) - 1))])
    assert part is None or part == Head(None)  # bytes that are not HTTP are detected early
    assert read_head(head + data.draw(st.binary(max_size=40))) == whole


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(received: bytes) -> None:
    assert read_head(received) in (None, Head(None))


@pytest.mark.parametrize(
    ("head", "handle"),
    [
        (b"POST /s/desk/mcp HTTP/1.1\r\nHost: h\r\n\r\n", "desk"),
        (b"POST /s/desk/lark/mcp?x=1 HTTP/1.1\r\nHost: h\r\n\r\n{}", "desk"),
        (b"POST /s/%E6%A1%8C/mcp HTTP/1.1\r\nHost: h\r\n\r\n", "桌"),
        (b"POST /mcp HTTP/1.1\r\nauthorization: bearer  abc \r\n\r\n", "abc"),
        (b"POST /mcp HTTP/1.1\r\nHost: h\r\n\r\n", DEFAULT_SESSION),
        (b"POST /mcp HTTP/1.1\r\nAuthorization: Basic abc\r\n\r\n", None),
        (b"GET /s/desk HTTP/1.1\r\nHost: h\r\n\r\n", None),
        (b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n", None),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", None),
    ],
)
def test_each_address_maps_to_its_handle(head: bytes, handle: str | None) -> None:
    assert read_head(head) == Head(handle)
