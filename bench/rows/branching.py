"""Fork and restore at any step of a session of 200 calls, in this process and through the control plane.

The yardstick is a copy of all pages of the world into memory, the least a fork can do. Of the steps that are tried,
the slowest counts.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Protocol

import orjson

from bench.control import Control, Made
from bench.errands import APP, errands
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.load import WrongReply
from bench.processes import Server, gateway
from bench.project import SIZED, copy_project, sized_world
from bench.wire import Connection, connect, frame
from bench.yardsticks import Backup
from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.storage import DurableStorage, MemoryStorage, Storage
from soundstage.contexts.engine.store import Context
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.registry.records import Durability, SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app
from soundstage.worlds import World, built

_UNIT: Unit = "ms"
_BOUND = Bound(20)
_AT_THE_HEAD: dict[Durability, Bound] = {"memory": Bound(1), "durable": Bound(20)}
_CALLS = 200
_STEPS = (0, 50, 100, 150, 199)
_DURABILITIES: tuple[Durability, ...] = ("durable", "memory")


class Branches(Protocol):
    """A session of 200 calls, from which can be branched off."""

    async def fork(self, step: int | None) -> float:
        """Milliseconds that a fork at a step takes; None: of the session as it is now."""

    async def restore(self, step: int) -> float:
        """Milliseconds that it takes to put a copy of the session back to a step."""


async def measure(plan: Plan) -> list[Line]:
    """Measure forks and restores at several steps, in process and over HTTP."""
    root = copy_project(plan.folder / "project")
    world = sized_world(root, megabytes=2)
    database = built(world, plan.folder / "worlds")
    lines: list[Line] = []
    for durability in _DURABILITIES:
        storage = DurableStorage(plan.folder / "contexts") if durability == "durable" else MemoryStorage()
        lines += await _lines(plan, "in process", durability, InProcess(storage, world, database), database)
    with ExitStack() as running:
        server = running.enter_context(gateway(plan.folder / "gateway", root=root))
        connection = await connect(server.port)
        running.callback(connection.close)
        for durability in _DURABILITIES:
            source = _session_over_http(Control(server), durability)
            lines += await _lines(plan, "over HTTP", durability, OverHttp(server, connection, source), database)
    return lines


async def _lines(plan: Plan, way: str, durability: Durability, branches: Branches, database: Path) -> list[Line]:
    where = f"{way}, {durability}"
    backup = Backup(database)
    forks: dict[int, list[float]] = {step: [] for step in _STEPS}
    restores: dict[int, list[float]] = {step: [] for step in _STEPS}
    heads: list[float] = []
    copies: list[float] = []
    for number in range(plan.rounds):
        copies.append(_backup_ms(backup, number))
        heads.append(median([await branches.fork(None) for _ in _STEPS]))
        for step in _STEPS:
            forks[step].append(await branches.fork(step))
            restores[step].append(await branches.restore(step))
    head = compare(
        "branch",
        Series(f"fork {where}, at the head", heads),
        Series("pages copied into memory", copies),
        unit=_UNIT,
        bound=_AT_THE_HEAD[durability],
    )
    return [head, _line(f"fork {where}", forks, copies), _line(f"restore {where}", restores, copies)]


def _line(what: str, by_step: dict[int, list[float]], copies: list[float]) -> Line:
    slowest = max(by_step, key=lambda step: median(by_step[step]))
    steps = ", ".join(f"{step}: {median(figures):.1f}" for step, figures in by_step.items())
    ours = Series(f"{what}, slowest at step {slowest}", by_step[slowest])
    return compare(
        "branch", ours, Series("pages copied into memory", copies), unit=_UNIT, bound=_BOUND, note=f"ms at step {steps}"
    )


class InProcess:
    """Branches created by a storage and the journal in this process."""

    def __init__(self, storage: Storage, world: World, database: Path) -> None:
        self._storage = storage
        self._context = storage.create("source", database, seed=0, clock=Clock("tick", world.epoch_ms))
        session = Session(
            SessionRecord(
                "source",
                "source",
                None,
                world.name,
                (APP,),
                0,
                self._context.read_meta().clock,
                0,
                None,
                durability="memory",
            ),
            self._context,
        )
        wanted = list(errands(state.dump(self._context, APP)[APP], world.epoch_ms // 1000).values())
        for number in range(_CALLS):
            errand = wanted[number % len(wanted)]
            made = dispatch(session, load_app(APP), errand.tool, errand.arguments(number))
            assert made.answer.ok, made.answer

    async def fork(self, step: int | None) -> float:
        """Fork at a step and return the milliseconds."""
        began = time.perf_counter()
        fork = self._storage.fork(self._context, "fork", step=step)
        took = time.perf_counter() - began
        self._remove("fork", fork)
        return took * 1e3

    async def restore(self, step: int) -> float:
        """Restore a step and return the milliseconds."""
        copy = self._storage.fork(self._context, "copy")
        began = time.perf_counter()
        journal.rewind(copy, step)
        took = time.perf_counter() - began
        self._remove("copy", copy)
        return took * 1e3

    def _remove(self, name: str, context: Context) -> None:
        self._storage.close(name, context)
        self._storage.delete(name)


class OverHttp:
    """Branches made by a gateway, timed from request to answer."""

    def __init__(self, server: Server, connection: Connection, source: Made) -> None:
        self._server = server
        self._connection = connection
        self._source = source

    async def fork(self, step: int | None) -> float:
        """Fork over HTTP and return the milliseconds."""
        took, fork = await self._post(self._source.id, "fork", {} if step is None else {"at": step})
        await self._delete(fork)
        return took

    async def restore(self, step: int) -> float:
        """Restore over HTTP and return the milliseconds."""
        _, copy = await self._post(self._source.id, "fork", {})
        took, _ = await self._post(copy, "restore", {"step": step})
        await self._delete(copy)
        return took

    async def _post(self, session_id: str, what: str, body: dict[str, int]) -> tuple[float, str]:
        """Return the milliseconds until the reply, and the id of the session in it."""
        request = frame("POST", f"/api/sessions/{session_id}/{what}", self._server.port, orjson.dumps(body))
        began = time.perf_counter()
        reply = await self._connection.request(request)
        took = time.perf_counter() - began
        if reply.status not in (200, 201):
            raise WrongReply(f"POST …/{what} was answered {reply.status} {reply.body!r}")
        return took * 1e3, orjson.loads(reply.body)["id"]

    async def _delete(self, session_id: str) -> None:
        await self._connection.request(frame("DELETE", f"/api/sessions/{session_id}", self._server.port))


def _session_over_http(control: Control, durability: Durability) -> Made:
    source = control.session(durability, world=SIZED)
    wanted = list(control.errands(source).values())
    for number in range(_CALLS):
        control.call(source, wanted[number % len(wanted)], number)
    return source


def _backup_ms(backup: Backup, number: int) -> float:
    took = []
    for _ in _STEPS:
        began = time.perf_counter()
        backup(number)
        took.append((time.perf_counter() - began) * 1e3)
    return median(took)
