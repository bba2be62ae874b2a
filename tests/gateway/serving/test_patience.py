"""Requests that never end are answered with an error in time, regardless of the server's other work."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Mount, Route, Router
from starlette.types import Scope

from soundstage.gateway.bodies import BodyBudget, BodyBuffer
from soundstage.gateway.guard import problem
from soundstage.gateway.serving.listener import listen
from soundstage.gateway.serving.server import GatewayServer
from soundstage.gateway.settings import Settings

HEAD_S, BODY_S = 1.5, 2.5
LARGEST, IN_ALL = 200_000, 600_000
_PATIENCE_S = 10.0


@dataclass
class Client:
    """One connection, and the bytes received over it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def half_a_body(self, size: int, *, by: str = "", chunked: bool = False) -> None:
        """Send a request whose body of this size never ends."""
        length = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % (size + 1)
        await self.send(b"POST /size HTTP/1.1\r\nHost: x\r\nClient: %s\r\n%s\r\n\r\n" % (by.encode(), length))
        for start in range(0, size, 50_000):
            piece = b" " * min(50_000, size - start)
            await self.send(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            await asyncio.sleep(0.005)

    async def answer(self) -> tuple[int, dict[str, str], Any]:
        """Return the next response: status, headers and JSON."""
        async with asyncio.timeout(_PATIENCE_S):
            first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
            headers = {n.lower(): v for n, _, v in (line.partition(": ") for line in lines)}
            body = await self.reader.readexactly(int(headers["content-length"]))
        return int(first.split()[1]), headers, json.loads(body)

    async def closed(self) -> bool:
        """Wait until the server closes the connection, and return whether it sent nothing more."""
        async with asyncio.timeout(_PATIENCE_S):
            return await self.reader.read() == b""


class Stage:
    """A server in this event loop, and connections to it."""

    def __init__(self, port: int, budget: BodyBudget) -> None:
        self._port = port
        self.budget = budget
        self._clients: list[Client] = []

    async def connect(self) -> Client:
        client = Client(*await asyncio.open_connection("127.0.0.1", self._port))
        self._clients.append(client)
        return client

    async def answered(self, *, by: str = "somebody") -> float:
        """Send a small request, and return how many seconds its answer took."""
        began = asyncio.get_running_loop().time()
        client = await self.connect()
        await client.send(b"POST /size HTTP/1.1\r\nHost: x\r\nClient: %s\r\nContent-Length: 3\r\n\r\nabc" % by.encode())
        assert (await client.answer())[::2] == (200, 3)
        return asyncio.get_running_loop().time() - began

    def close(self) -> None:
        for client in self._clients:
            client.writer.close()


async def _size(request: Request) -> JSONResponse:
    return JSONResponse(len(await request.body()))


async def _ticks(request: Request) -> StreamingResponse:
    async def ticks() -> AsyncIterator[bytes]:
        for _ in range(5):
            yield b"tick\n"
            await asyncio.sleep(BODY_S / 2)

    return StreamingResponse(ticks(), headers={"Content-Length": "25"})


def _client_of(scope: Scope) -> str:
    return dict(scope["headers"]).get(b"client", b"").decode()


@asynccontextmanager
async def _running() -> AsyncIterator[Stage]:
    budget = BodyBudget(IN_ALL, largest=LARGEST)
    routes = Router([Route("/size", _size, methods=["POST"]), Route("/ticks", _ticks)])
    app = Starlette(
        routes=[Mount("/", BodyBuffer(routes, budget, largest=LARGEST, client_of=_client_of, refuse=problem))]
    )

    async def drain() -> None:
        pass

    app.state.drain = drain
    listener = listen("127.0.0.1", 0)
    server = GatewayServer(app, Settings(data=Path("nowhere"), head_s=HEAD_S, body_s=BODY_S))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    stage = Stage(listener.getsockname()[1], budget)
    try:
        yield stage
    finally:
        stage.close()
        server.should_exit = server.force_exit = True
        await running


async def test_an_incomplete_head_is_refused_after_its_time_limit() -> None:
    async with _running() as stage:
        silent, half, slow = [await stage.connect() for _ in range(3)]
        await half.send(b"POST /size HTTP/1.1\r\nHost: x\r\nX-Half: ")
        assert await stage.answered() < HEAD_S / 2
        for byte in b"POST /si":
            await slow.send(bytes([byte]))
            await asyncio.sleep(0.02)
        for client in (half, slow):
            status, headers, body = await client.answer()
            assert (status, headers["connection"], headers["content-type"]) == (408, "close", "application/json")
            assert body == {"error": f"the head of the request was not there within {HEAD_S} s"}
            assert await client.closed()
        assert await silent.closed()


async def test_an_incomplete_body_is_answered_with_408_and_releases_its_memory() -> None:
    async with _running() as stage:
        client = await stage.connect()
        await client.half_a_body(150_000, by="slow")
        assert await stage.answered() < BODY_S / 2
        assert stage.budget.taken == 150_000
        status, headers, body = await client.answer()
        assert (status, headers["connection"]) == (408, "close")
        assert body == {"error": f"the body of the request was not there within {BODY_S} s"}
        assert await client.closed()
        assert stage.budget.taken == 0


@pytest.mark.long
async def test_a_response_has_no_time_limit() -> None:
    async with _running() as stage:
        client = await stage.connect()
        await client.send(b"GET /ticks HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(_PATIENCE_S):
            await client.reader.readuntil(b"\r\n\r\n")
            assert await client.reader.readexactly(25) == b"tick\n" * 5


async def test_one_clients_bodies_leave_memory_for_those_of_others() -> None:
    async with _running() as stage:
        clients = [await stage.connect() for _ in range(20)]
        for client in clients:
            await client.half_a_body(100_000, by="flood")
        refused = 0
        for client in clients[2:]:
            status, headers, body = await client.answer()
            assert status == 503
            assert "the bodies that you are sending have more than 200000 bytes together" in body["error"]
            assert int(headers["retry-after"]) > 0
            refused += 1
        assert refused == 18
        assert stage.budget.taken == 200_000
        assert await stage.answered(by="flood") < BODY_S / 2
        honest = await stage.connect()
        await honest.half_a_body(190_000, by="honest")
        await honest.send(b" ")
        assert (await honest.answer())[::2] == (200, 190_001)


async def test_the_memory_for_all_clients_bodies_is_bounded() -> None:
    async with _running() as stage:
        for number in range(4):
            await (await stage.connect()).half_a_body(150_000, by=f"client {number}")
        late = await stage.connect()
        await late.half_a_body(150_000, by="late")
        status, _, body = await late.answer()
        assert status == 503
        assert "that are being sent have more than 600000 bytes together" in body["error"]
        assert stage.budget.taken == IN_ALL


async def test_a_body_without_a_declared_size_is_refused_when_it_grows_too_large() -> None:
    async with _running() as stage:
        client = await stage.connect()
        await client.half_a_body(LARGEST + 50_000, chunked=True)
        status, _, body = await client.answer()
        assert (status, body) == (
            413,
            {"error": f"the body is too large; at most {LARGEST} bytes are taken (--max-body)"},
        )
        assert stage.budget.taken == 0


@pytest.mark.parametrize(
    ("sent", "status", "message"),
    [
        (b"\x16\x03\x01 this is TLS", 400, "not an HTTP/1.1 request"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-Long: " + b"x" * 300_000, 431, "at most 65536 bytes"),
    ],
)
async def test_an_invalid_request_is_answered_with_a_message(sent: bytes, status: int, message: str) -> None:
    async with _running() as stage:
        client = await stage.connect()
        await client.send(sent)
        answered, headers, body = await client.answer()
        assert (answered, headers["content-type"]) == (status, "application/json")
        assert message in body["error"]
