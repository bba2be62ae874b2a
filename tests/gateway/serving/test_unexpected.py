"""An unexpected error of the application does not affect other requests on the same connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from soundstage.gateway.app import build_app
from soundstage.gateway.mcp.http import McpAddresses
from soundstage.gateway.serving.listener import listen
from soundstage.gateway.serving.server import GatewayServer
from soundstage.gateway.settings import Settings
from tests import built_worlds
from tests.gateway.agent_requests import request_for


async def _fail(request: Request) -> Response:
    raise RuntimeError("before anything was said")


async def _fail_in_the_middle(request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"half"
        raise RuntimeError("in the middle")

    return StreamingResponse(pieces(), headers={"Content-Length": "8"})


async def _answer(request: Request) -> Response:
    return JSONResponse("fine")


@asynccontextmanager
async def _connection() -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a connection to a server with these three routes."""
    app = Starlette(routes=[Route("/fail", _fail), Route("/middle", _fail_in_the_middle), Route("/", _answer)])

    async def drain() -> None:
        pass

    app.state.drain = drain
    listener = listen("127.0.0.1", 0)
    server = GatewayServer(app, Settings(data=Path("nowhere")))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    try:
        yield reader, writer
    finally:
        writer.close()
        server.should_exit = server.force_exit = True
        await running


async def test_the_next_request_on_the_connection_is_answered_after_an_error() -> None:
    async with _connection() as (reader, writer), asyncio.timeout(10):
        for number in range(3):
            writer.write(b"GET /fail HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 500"), (number, head)
            assert b"connection: close" not in head.lower()
            await reader.readexactly(len("Internal Server Error"))
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), (number, head)
            assert await reader.readexactly(6) == b'"fine"'


async def test_a_response_that_breaks_off_is_not_taken_for_complete() -> None:
    async with _connection() as (reader, writer), asyncio.timeout(10):
        writer.write(b"GET /middle HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.read()).endswith(b"half")  # and the connection has ended


async def test_agents_and_operators_get_the_error_in_their_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(McpAddresses, "__call__", fail)
    app = build_app(Settings(data=tmp_path, built=built_worlds.folder()))
    transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 0), raise_app_exceptions=False)
    client = httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8700")
    async with app.router.lifespan_context(app), client:
        path, body, headers = request_for("x", "x")
        response = await client.post(path, json=body, headers=headers)
        assert response.status_code == 500
        assert response.json()["error"]["message"] == "an internal error; the gateway's log has the details"
        monkeypatch.setattr("soundstage.gateway.app.generate_latest", fail_at_once)
        response = await client.get("/metrics")
    assert response.status_code == 500
    assert response.json() == {"error": "an internal error; the gateway's log has the details"}


def fail_at_once(*_: object) -> bytes:
    raise RuntimeError
