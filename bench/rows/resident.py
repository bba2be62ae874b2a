"""The memory of a process per in-memory session, each after 20 calls, against in-memory copies of the world.

Each variant is measured in a separate process, because a process that has had thousands of sessions has free memory left for
others.
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import apsw
import orjson

from bench.control import FOUR_APPS
from bench.errands import APP, EVENT, MESSAGE, Errand, errands
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.processes import ROOT
from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.memory import release_memory
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_app
from soundstage.worlds import built, load_world

_SESSIONS = 4000
_CALLS = 20
_COPIES = 40
_AT_ONCE = 100
_READ = "im_v1_chat_list"
_WANTED: dict[str, tuple[NewSession, Bound]] = {
    "four apps": (NewSession(durability="memory", apps=FOUR_APPS), Bound(2**20 / _SESSIONS)),  # this many in a GB
    "all apps": (NewSession(durability="memory"), Bound()),
}
_UNIT: Unit = "KB"
Work = Callable[[dict[str, Errand], int], tuple[str, object]]
_WAYS: dict[str, Work] = {
    "20 messages": lambda wanted, number: (MESSAGE, wanted[MESSAGE].arguments(number)),
    "5 messages, 5 events, 10 lists of chats": lambda wanted, number: (
        (_READ, {}) if number % 2 else (tool := (MESSAGE, EVENT)[number // 2 % 2], wanted[tool].arguments(number))
    ),
}


async def measure(plan: Plan) -> list[Line]:
    """Measure the memory of sessions by the kind of work that they did."""
    lines: list[Line] = []
    for (apps, (_, bound)), way in product(_WANTED.items(), _WAYS):
        command = [sys.executable, "-m", "bench.rows.resident", str(plan.folder), apps, way]
        process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=subprocess.PIPE)
        output, _ = await process.communicate()
        each, copy, awake = orjson.loads(output.splitlines()[-1])
        lines.append(
            compare(
                "resident",
                Series(f"a session in memory of {way}, one of {_SESSIONS:,}, {apps}", [each]),
                Series("the world's pages copied into memory", [copy]),
                unit=_UNIT,
                bound=bound,
                note=f"memory of the process; {awake:,} of them with a connection, the others without",
            )
        )
    return lines


async def _measured(folder: Path, kind: NewSession, way: Work) -> tuple[float, float, int]:
    """KB of memory that a session takes, and a copy of its world; and how many sessions have a connection in the end."""
    sessions = Sessions(Settings(data=folder), joins=True)
    await sessions.start()
    try:
        first = await sessions.create(kind)
        epoch_s = first.context.read_meta().clock.at_ms // 1000
        wanted = errands(state.dump(first.context, APP)[APP], epoch_s)
        copy = _of_a_copy_kb(built(load_world(first.record.world), folder / "worlds"))
        _work(first, wanted, way)
        gc.collect()
        before, made = _resident_kb(), 0
        while made < _SESSIONS:
            some = await sessions.create_many(kind, _AT_ONCE)
            made += len(some)
            for session in some:
                _work(session, wanted, way)
        gc.collect()
        release_memory()
        return (_resident_kb() - before) / _SESSIONS, copy, sessions.open_count
    finally:
        await sessions.stop()


def _work(session: Session, wanted: dict[str, Errand], way: Work) -> None:
    for number in range(_CALLS):
        tool, arguments = way(wanted, number)
        made = dispatch(session, load_app(APP), tool, arguments)
        assert made.answer.ok, made.answer


def _of_a_copy_kb(world: Path) -> float:
    source = apsw.Connection(str(world), flags=apsw.SQLITE_OPEN_READONLY)
    gc.collect()
    before = _resident_kb()
    copies = [apsw.Connection(":memory:") for _ in range(_COPIES)]
    for copy in copies:
        with copy.backup("main", source, "main") as backup:
            backup.step()
    return (_resident_kb() - before) / _COPIES


def _resident_kb() -> int:
    """Return the process's private memory; the mapped file of a world is shared by all."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon:"))


if __name__ == "__main__":
    print(orjson.dumps(asyncio.run(_measured(Path(sys.argv[1]), _WANTED[sys.argv[2]][0], _WAYS[sys.argv[3]]))).decode())
