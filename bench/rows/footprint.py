"""Memory of an open session by number of apps, in memory and durable, after 0, 20 and 100 mixed calls.

The figure is the growth of a gateway's private memory (USS) per session. Each line is measured in a separate process, because a
process that has had many sessions reuses their memory.
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from itertools import product
from pathlib import Path

import orjson

from bench.errands import APP, EVENT, MESSAGE, Errand, errands
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.mixed import MixedCall, app_names, mixed_calls
from bench.processes import ROOT
from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.registry.records import Durability
from soundstage.gateway.sessions.memory import release_memory
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_app

_UNIT: Unit = "KB"
_APP_COUNTS = (4, 8, 15, 31)
_CALLS = (0, 20, 100)
_DURABILITIES: tuple[Durability, ...] = ("memory", "durable")
_SESSIONS = 60
_FIRST = 3
_LARK_EVERY = 3
_BOUND_KB = 600.0


async def measure(plan: Plan) -> list[Line]:
    """Measure the private memory of open sessions."""
    lines: list[Line] = []
    for durability, apps in product(_DURABILITIES, _APP_COUNTS):
        unused: Series | None = None
        for calls in _CALLS:
            command = [
                sys.executable,
                "-m",
                "bench.rows.footprint",
                str(plan.folder),
                str(apps),
                durability,
                str(calls),
            ]
            process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=subprocess.PIPE)
            output, _ = await process.communicate()
            each = Series(f"{apps} apps, {durability}, {calls} calls", [orjson.loads(output.splitlines()[-1])])
            unused = unused or Series("the same without calls", each.figures)
            bound = Bound(_BOUND_KB) if durability == "durable" and apps == 15 else Bound()
            lines.append(compare("footprint", each, unused, unit=_UNIT, bound=bound, note="private memory per session"))
    return lines


async def _measured(folder: Path, kind: NewSession, apps: tuple[str, ...], calls: int) -> float:
    """Return the KB of private memory that each session adds after `calls` calls."""
    sessions = Sessions(Settings(data=folder), joins=True)
    await sessions.start()
    made: list[Session] = []
    try:
        made.append(await sessions.create(kind))
        epoch_s = made[0].context.read_meta().clock.at_ms // 1000
        lark = errands(state.dump(made[0].context, APP)[APP], epoch_s)  # reads all tables, so once
        mixed = mixed_calls(apps)
        for _ in range(_FIRST):
            made.append(await sessions.create(kind))
            _work(made[-1], mixed, lark, calls)
        gc.collect()
        release_memory()
        before = _private_kb()
        for _ in range(_SESSIONS):
            made.append(await sessions.create(kind))
            _work(made[-1], mixed, lark, calls)
        gc.collect()
        release_memory()
        each = (_private_kb() - before) / _SESSIONS
        for session in made:
            await sessions.delete(session.id)
        return each
    finally:
        await sessions.stop()


def _work(session: Session, mixed: list[MixedCall], lark: dict[str, Errand], calls: int) -> None:
    """Make `calls` calls; a session without calls is opened only."""
    _ = session.context
    for number in range(calls):
        if number % _LARK_EVERY:
            call = mixed[number % len(mixed)]
            app, tool, arguments = call.app, call.tool, call.arguments
        else:
            errand = lark[(MESSAGE, EVENT)[number // _LARK_EVERY % 2]]
            app, tool, arguments = APP, errand.tool, errand.arguments(number)
        made = dispatch(session, load_app(app), tool, arguments)
        assert made.answer.ok, made.answer


def _private_kb() -> int:
    """Memory of this process alone: pages of a world's file that several processes map are not counted."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean:", "Private_Dirty:")))


if __name__ == "__main__":
    _folder, _apps, _durability, _calls = sys.argv[1:]
    _names = app_names(int(_apps))
    _kind = NewSession(durability="memory" if _durability == "memory" else "durable", apps=_names)
    print(orjson.dumps(asyncio.run(_measured(Path(_folder), _kind, _names, int(_calls)))).decode())
