"""Calls and new sessions per second of `--workers 2`, against one process on the same machine, over many connections.

Each session has its own connection, as agents have; sessions are created over as many connections, which are distributed over
the workers. The generator runs on the same cores as the servers, so a second worker can never double the figure. The note
reports the CPU time of each: if the workers got less than the machine has, other processes used the rest.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import orjson

from bench.control import FOUR_APPS, Control
from bench.errands import APP, MESSAGE
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.load import Ask, Target, requests, warm_up
from bench.processes import ROOT, Server, StartFailed, gateway
from bench.wire import frame
from soundstage.gateway.registry.records import Durability
from soundstage.servers.catalogue import load_app

_UNIT: Unit = "calls/s"
_SESSIONS = 32
_WORKERS = 2
_FIRST_CALLS = 10
_BOUND, _BOUND_OF_NEW = Bound(at_least=1.7), Bound(at_least=1.6)
_NEW_S = 1.0  # for which sessions are made in a turn: each takes room until its end
_AT_ONCE = 1000  # sessions that a list shows
_DURABILITIES: tuple[Durability, ...] = ("memory", "durable")
_STUCK_S = 60.0


@dataclass(frozen=True, slots=True)
class _Turn:
    """The result of one round of load. CPU times are in cores: seconds of CPU per second."""

    calls_per_s: float
    generator: float
    servers: float

    @property
    def per_cpu_s(self) -> float:
        """Calls per second of CPU time that the servers got."""
        return self.calls_per_s / self.servers


async def measure(plan: Plan) -> list[Line]:
    """Measure calls and new sessions with one and with several workers."""
    lines: list[Line] = []
    for durability in _DURABILITIES:
        lines += [await _calls(plan, durability), await _new_sessions(plan, durability)]
    return lines


async def _new_sessions(plan: Plan, durability: Durability) -> Line:
    """Measure the four-app sessions created per second; the sessions of a round are removed before the next."""
    body = orjson.dumps({"durability": durability, "apps": FOUR_APPS})
    with ExitStack() as running:
        one = running.enter_context(gateway(plan.folder / f"one-new-{durability}"))
        several = running.enter_context(gateway(plan.folder / f"several-new-{durability}", "--workers", str(_WORKERS)))
        turns: dict[int, list[_Turn]] = {1: [], _WORKERS: []}
        for _ in range(plan.rounds):
            for workers, server in ((1, one), (_WORKERS, several)):
                ask = frame("POST", "/api/sessions", server.port, body)
                turns[workers].append(await _turn(server, [ask] * _SESSIONS, b'"handle"', _NEW_S))
                _remove_all(Control(server))
    return _compared(f"new sessions, {durability}", turns, _BOUND_OF_NEW)


def _remove_all(control: Control) -> None:
    while listed := control.request("GET", f"/api/sessions?limit={_AT_ONCE}")["sessions"]:
        for session in listed:
            control.request("DELETE", f"/api/sessions/{session['id']}")


async def _calls(plan: Plan, durability: Durability) -> Line:
    with ExitStack() as running:
        one = running.enter_context(gateway(plan.folder / f"one-{durability}"))
        several = running.enter_context(gateway(plan.folder / f"several-{durability}", "--workers", str(_WORKERS)))
        turns: dict[int, list[_Turn]] = {1: [], _WORKERS: []}
        for _ in range(plan.rounds):
            for workers, server in ((1, one), (_WORKERS, several)):
                with _sessions(server, durability) as target:
                    await warm_up(target, calls=_FIRST_CALLS * _SESSIONS)
                    turns[workers].append(await _turn(server, requests(target), target.ask.expect, plan.seconds))
    return _compared(f"calls, {durability}", turns, _BOUND)


def _compared(what: str, turns: dict[int, list[_Turn]], bound: Bound) -> Line:
    typical, alone = (sorted(t, key=lambda turn: turn.calls_per_s)[len(t) // 2] for t in (turns[_WORKERS], turns[1]))
    note = (
        f"cores got: workers {typical.servers:.2f}, generator {typical.generator:.2f}; "
        f"answers a second of CPU: {typical.per_cpu_s:.0f}, one process {alone.per_cpu_s:.0f}"
    )
    return compare(
        "workers",
        Series(f"{_WORKERS} workers, {what}", [turn.calls_per_s for turn in turns[_WORKERS]]),
        Series(f"one process, {what}", [turn.calls_per_s for turn in turns[1]]),
        unit=_UNIT,
        bound=bound,
        note=note,
    )


@contextmanager
def _sessions(server: Server, durability: Durability) -> Iterator[Target]:
    """Sessions of a turn's own, so that no side calls into a longer history than the other."""
    # One connection for each session, so that they are distributed over the workers.
    controls = [Control(server) for _ in range(_SESSIONS)]
    made = [control.session(durability) for control in controls]
    errand = controls[0].errands(made[0])[MESSAGE]
    ask = Ask("tools/call", errand.expect, load_app(APP).prefixed(errand.tool), errand.arguments)
    yield Target(
        f"{_SESSIONS} sessions, {durability}", server, tuple(m.path() for m in made), ask, own_connections=True
    )
    for control, session in zip(controls, made, strict=True):
        control.request("DELETE", f"/api/sessions/{session.id}")


async def _turn(server: Server, wanted: list[bytes], expect: bytes, seconds: float) -> _Turn:
    requests = [{"request": request.decode(), "expect": expect.decode()} for request in wanted]
    command = [sys.executable, "-m", "bench.lean", str(server.port), str(seconds)]
    before = server.cpu_s()
    generator = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    async with asyncio.timeout(seconds + _STUCK_S):
        output, errors = await generator.communicate(orjson.dumps(requests))
    if generator.returncode:
        raise StartFailed(f"the load generator ended with {errors.decode()[-1000:]}")
    result = orjson.loads(output)
    spent = server.cpu_s() - before
    return _Turn(result["calls"] / result["seconds"], result["cpu_s"] / result["seconds"], spent / result["all_s"])
