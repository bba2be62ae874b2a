"""How long the calls of 300 agents wait in one gateway, each with a durable session of 15 apps.

All agents begin at the same time, and each makes its next call as soon as the last one is answered. The first call of each
session, which opens its context, counts like every other call.
"""

from __future__ import annotations

import asyncio
import time
from itertools import count

import orjson

from bench.control import Control
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.load import WrongReply
from bench.mixed import MixedCall, app_names, mixed_calls
from bench.processes import Server, gateway
from bench.wire import connect, frame

_UNIT: Unit = "ms"
_AGENTS = 300
_APPS = 15
_CALLS_EACH = 20
_TIMES = 10.0
_MODERN = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "soundstage-bench", "version": "1"},
}


async def measure(plan: Plan) -> list[Line]:
    """Measure many agents that call at the same time."""
    p50s, p99s, notes = [], [], []
    for number in range(
        plan.rounds
    ):  # each round in a new gateway, because the first calls of a process are part of the measurement
        with gateway(plan.folder / str(number), "--max-open", str(2 * _AGENTS)) as server:
            control = Control(server)
            apps = app_names(_APPS)
            paths = [control.session("durable", apps=apps).path() for _ in range(_AGENTS)]
            before, cpu = server.memory_mb(), server.cpu_s()
            waited, longest_first = await _drive(server, paths, mixed_calls(apps))
            cpu_ms = (server.cpu_s() - cpu) / len(waited) * 1e3
            each_kb = (server.memory_mb() - before) * 1024 / _AGENTS
        p50s.append(waited[len(waited) // 2] * 1e3)
        p99s.append(waited[len(waited) * 99 // 100] * 1e3)
        notes.append(
            f"server CPU {cpu_ms:.2f} ms a call, slowest first call {longest_first * 1e3:.0f} ms, slowest call "
            f"{waited[-1] * 1e3:.0f} ms, {each_kb:.0f} KB a session"
        )
    what = f"99th percentile of {_AGENTS * _CALLS_EACH:,} calls, {_AGENTS} agents, {_APPS} apps, durable"
    return [
        compare(
            "crowd",
            Series(what, p99s),
            Series("their median", p50s),
            unit=_UNIT,
            bound=Bound(times=_TIMES),
            note="; ".join(notes),
        )
    ]


async def _drive(server: Server, paths: list[str], calls: list[MixedCall]) -> tuple[list[float], float]:
    """How long the calls took, the fastest first, and the slowest first call of a session, in seconds."""
    waited: list[float] = []
    first: list[float] = []
    ids = count(1)
    connections = [await connect(server.port) for _ in paths]

    async def agent(number: int) -> None:
        for turn in range(_CALLS_EACH):
            call = calls[(number + turn) % len(calls)]
            request_id = next(ids)
            request = _request(server.port, paths[number], request_id, call)
            began = time.perf_counter()
            reply = await connections[number].request(request)
            waited.append(time.perf_counter() - began)
            if turn == 0:
                first.append(waited[-1])
            answer = orjson.loads(reply.body) if reply.status == 200 else {}
            if answer.get("id") != request_id or answer.get("result", {}).get("isError", "result" not in answer):
                raise WrongReply(f"{call.app} {call.tool} answered {reply.status} {reply.body[:500]!r}")

    try:
        async with asyncio.TaskGroup() as group:
            for number in range(len(paths)):
                group.create_task(agent(number))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        for connection in connections:
            connection.close()
    return sorted(waited), max(first)


def _request(port: int, path: str, request_id: int, call: MixedCall) -> bytes:
    params = {"_meta": _META, "name": call.prefixed, "arguments": call.arguments}
    body = orjson.dumps({"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params})
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": _MODERN,
        "Mcp-Method": "tools/call",
        "Mcp-Name": call.prefixed,
    }
    return frame("POST", path, port, body, headers)
