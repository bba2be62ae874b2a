"""A load generator for MCP over HTTP on this machine, in both wire revisions.

Every reply is read and checked; a wrong one ends the run. The reliable figure is the server's CPU time per call: client and
server share the machine, so calls per second depend equally on other processes and on the server.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson

from bench.processes import Server
from bench.wire import Connection, Reply, connect, frame

Revision = Literal["2026-07-28", "2025-11-25"]
MODERN: Revision = "2026-07-28"
HANDSHAKE: Revision = "2025-11-25"

_CLIENT = {"name": "soundstage-bench", "version": "1"}
_META = "io.modelcontextprotocol"
_ENVELOPE = {f"{_META}/protocolVersion": MODERN, f"{_META}/clientCapabilities": {}, f"{_META}/clientInfo": _CLIENT}
_ACCEPT = "application/json, text/event-stream"
_CONNECTIONS = 8
_WARM_S = 0.3
_STUCK_S = 60.0
_LONGEST_S = 600.0


class WrongReply(Exception):
    """A server answered something else than what was expected."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, asked again and again. `arguments` gets a running number; `expect` must be in every reply."""

    method: Literal["tools/call", "tools/list"]
    expect: bytes
    tool: str | None = None
    arguments: Callable[[int], Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A server, the addresses to call in rotation, and the request.

    With `own_connections` each address has its own connection; otherwise a few connections call all of them.
    """

    what: str
    server: Server
    paths: tuple[str, ...]
    ask: Ask
    revision: Revision = MODERN
    own_connections: bool = False


@dataclass(frozen=True, slots=True)
class Load:
    """The result of a load: calls per second and milliseconds as measured by the client, and the server's CPU time."""

    calls: int
    calls_per_s: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


async def load(target: Target, *, seconds: float) -> Load:
    """Call a target for `seconds` after a short warm-up.

    Raises:
        WrongReply: shows the first unexpected reply.
    """
    async with _connected(target, seconds) as driver:
        await driver.drive(seconds=_WARM_S)
        cpu, began = target.server.cpu_s(), time.perf_counter()
        took = sorted(await driver.drive(seconds=seconds))
        elapsed, cpu = time.perf_counter() - began, target.server.cpu_s() - cpu
    return Load(
        calls=len(took),
        calls_per_s=len(took) / elapsed,
        p50_ms=took[len(took) // 2] * 1e3,
        p99_ms=took[len(took) * 99 // 100] * 1e3,
        cpu_us=cpu / len(took) * 1e6,
    )


async def load_in_turns(targets: list[Target], *, rounds: int, seconds: float) -> list[list[Load]]:
    """Load the targets in turn (A B C A B C …) and return the loads of each."""
    results: list[list[Load]] = [[] for _ in targets]
    for _ in range(rounds):
        for loads, target in zip(results, targets, strict=True):
            loads.append(await load(target, seconds=seconds))
    return results


async def paced(target: Target, *, per_s: float, while_: Callable[[], bool]) -> list[float]:
    """Start `per_s` calls per second, whether or not earlier ones were answered; return how long each took, in seconds.

    Calls rotate over connections, one per address. Each duration starts at the time when the call was due.

    Raises:
        WrongReply: see `load`.
    """
    async with _connected(replace(target, own_connections=True), _LONGEST_S) as driver:
        return await driver.pace(per_s, while_)


async def warm_up(target: Target, *, calls: int) -> None:
    """Call a target `calls` times.

    Raises:
        WrongReply: see `load`.
    """
    async with _connected(target, _STUCK_S) as driver:
        await driver.drive(calls=calls)


async def first_reply(target: Target) -> bytes:
    """Return a target's reply to the request with id 1."""
    connection = await connect(target.server.port)
    reply = await connection.request(requests(target)[0])
    connection.close()
    return reply.body


def requests(target: Target) -> list[bytes]:
    """A request for each address, whole and ready to be sent, in the revision without a handshake."""
    return [_request(target, number, path, _headers(target)) for number, path in enumerate(target.paths, 1)]


class _Driver:
    """Several connections that ask one target as fast as it answers."""

    def __init__(self, target: Target, connections: list[tuple[Connection, dict[str, str]]]) -> None:
        self._target = target
        self._connections = connections
        self._numbers: Iterator[int] = itertools.count(1)
        self._checked_list: tuple[bytes, bytes] | None = (
            None  # the bytes before and after the id in a checked tool list
        )

    async def drive(self, *, seconds: float = 0, calls: int = 0) -> list[float]:
        """Call for some seconds, or `calls` times if that takes longer; return how long each call took, in seconds."""
        took: list[float] = []
        end = time.perf_counter() + seconds

        paths = self._target.paths

        async def worker(turn: int, connection: Connection, headers: dict[str, str]) -> None:
            while time.perf_counter() < end or len(took) < calls:
                number = next(self._numbers)
                path = paths[(turn if self._target.own_connections else number) % len(paths)]
                request = _request(self._target, number, path, headers)
                began = time.perf_counter()
                reply = await connection.request(request)
                took.append(time.perf_counter() - began)
                self._check(number, reply)

        try:
            async with asyncio.TaskGroup() as group:
                for turn, (connection, headers) in enumerate(self._connections):
                    group.create_task(worker(turn, connection, headers))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return took

    async def pace(self, per_s: float, while_: Callable[[], bool]) -> list[float]:
        """See `paced`."""
        took: list[float] = []
        free = [asyncio.Lock() for _ in self._connections]

        async def call(turn: int, due: float) -> None:
            connection, headers = self._connections[turn]
            async with free[turn]:  # an agent asks one thing at a time
                number = next(self._numbers)
                reply = await connection.request(_request(self._target, number, self._target.paths[turn], headers))
            took.append(time.perf_counter() - due)
            self._check(number, reply)

        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for number in itertools.count():
                due = began + number / per_s
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                if not while_():
                    break
                group.create_task(call(number % len(self._connections), due))
        return took

    def _check(self, number: int, reply: Reply) -> None:
        """Check a reply.

        A tool list is parsed once and then compared as bytes: parsing 463 kB delays the client until the server would be
        idle, and its background work would be attributed to the list.
        """
        identity = b"%d" % number
        if reply.status == 200 and self._checked_list is not None:
            before, behind = self._checked_list
            if reply.body.startswith(before + identity) and reply.body[len(before + identity) :] == behind:
                return
        _check(self._target, number, reply)
        if self._target.ask.method == "tools/list":
            before, separator, behind = reply.body.partition(b'"id":' + identity)
            self._checked_list = (before + b'"id":', behind) if separator else None


@asynccontextmanager
async def _connected(target: Target, seconds: float) -> AsyncIterator[_Driver]:
    """Open connections to a target that last a little longer than `seconds`."""
    async with asyncio.timeout(seconds + _STUCK_S):
        connections = [
            await _open(target) for _ in range(len(target.paths) if target.own_connections else _CONNECTIONS)
        ]
        try:
            yield _Driver(target, connections)
        finally:
            for connection, _ in connections:
                connection.close()


async def _open(target: Target) -> tuple[Connection, dict[str, str]]:
    """A connection and the headers its requests carry; the handshake is made where the revision has one."""
    connection = await connect(target.server.port)
    headers = _headers(target)
    if target.revision == MODERN:
        return connection, headers
    hello = {"protocolVersion": target.revision, "capabilities": {}, "clientInfo": _CLIENT}
    greeted = await _send(target, connection, {"Accept": _ACCEPT}, {"id": 0, "method": "initialize", "params": hello})
    if greeted.status != 200 or b'"result"' not in greeted.body:
        raise WrongReply(f"{target.what}: initialize was answered {greeted.status} {greeted.body[:300]!r}")
    if (session := greeted.headers.get(b"mcp-session-id")) is not None:
        headers["Mcp-Session-Id"] = session.decode()
    await _send(target, connection, headers, {"method": "notifications/initialized"})
    return connection, headers


def _headers(target: Target) -> dict[str, str]:
    headers = {"Accept": _ACCEPT, "MCP-Protocol-Version": target.revision}
    if target.revision == MODERN:
        headers["Mcp-Method"] = target.ask.method
        if target.ask.tool is not None:
            headers["Mcp-Name"] = target.ask.tool
    return headers


async def _send(target: Target, connection: Connection, headers: dict[str, str], message: dict[str, Any]) -> Reply:
    body = orjson.dumps({"jsonrpc": "2.0", **message})
    return await connection.request(frame("POST", target.paths[0], target.server.port, body, headers))


def _request(target: Target, number: int, path: str, headers: dict[str, str]) -> bytes:
    ask = target.ask
    params: dict[str, Any] = {"_meta": _ENVELOPE} if target.revision == MODERN else {}
    if ask.tool is not None:
        params |= {"name": ask.tool, "arguments": {} if ask.arguments is None else ask.arguments(number)}
    body = orjson.dumps({"jsonrpc": "2.0", "id": number, "method": ask.method, "params": params})
    return frame("POST", path, target.server.port, body, headers)


def _check(target: Target, number: int, reply: Reply) -> None:
    if reply.status == 200 and target.ask.expect in reply.body:
        answer = orjson.loads(reply.body)
        if answer.get("id") == number and "result" in answer and not answer["result"].get("isError"):
            return
    raise WrongReply(f"{target.what} answered {reply.status} {reply.body[:500]!r}")
