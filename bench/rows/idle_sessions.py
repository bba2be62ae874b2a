"""The cost of a call with 2,000 durable sessions of which 200 are in use, against a gateway that has ten.

All are made and left alone until the gateway has closed every one of them; then 200 get calls in turn. What the gateway takes of
memory and files at that moment is told in the note, beside what it took with as many open as it keeps.
"""

from __future__ import annotations

import asyncio
import time

from bench.control import Control
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.load import Target, load, warm_up
from bench.processes import Server, gateway
from bench.rows.many_sessions import message

_UNIT: Unit = "µs"
_CREATED = 2000
_ACTIVE = 200
_FEW = 10
_FIRST_CALLS = 10
_IDLE_S = 15  # longer than the turns between two of the same side
_PATIENCE_S = 120.0
_BOUND = Bound(times=1.1)


async def measure(plan: Plan) -> list[Line]:
    with (
        gateway(plan.folder / "few") as few,
        gateway(plan.folder / "created", "--idle", str(_IDLE_S)) as created,
    ):
        ask = message(Control(few))
        active = _make(created, _ACTIVE)
        _make(created, _CREATED - _ACTIVE, world="empty")
        at_most = _taken(created)
        await _all_closed(created)
        in_use = Target(f"{_ACTIVE} of {_CREATED} in turn, durable", created, active, ask)
        await warm_up(in_use, calls=_FIRST_CALLS * _ACTIVE)
        ours, theirs = [], []
        for _ in range(plan.rounds):
            # Fresh ones, so that the few do not call into ever longer histories.
            beside = Target(f"{_FEW} in turn, durable", few, _make(few, _FEW), ask)
            await warm_up(beside, calls=_FIRST_CALLS * _FEW)
            theirs.append((await load(beside, seconds=plan.seconds)).cpu_us)
            ours.append((await load(in_use, seconds=plan.seconds)).cpu_us)
        note = f"server CPU per call; {_taken(created)}; before the idle ones were closed {at_most}"
    return [
        compare("idle", Series(in_use.what, ours), Series(beside.what, theirs), unit=_UNIT, bound=_BOUND, note=note)
    ]


def _make(server: Server, count: int, world: str = "studio") -> tuple[str, ...]:
    control = Control(server)
    return tuple(control.session("durable", world).path() for _ in range(count))


def _taken(server: Server) -> str:
    still = Control(server).metric("soundstage_contexts_open")
    return f"{still:.0f} contexts open, {server.memory_mb():.0f} MB, {server.files()} files"


async def _all_closed(server: Server) -> None:
    """Wait until every context is closed.

    Raises:
        TimeoutError: when that does not happen.
    """
    end = time.monotonic() + _PATIENCE_S
    while Control(server).metric("soundstage_contexts_open") > 0:
        if time.monotonic() > end:
            raise TimeoutError("idle contexts were not closed")
        await asyncio.sleep(0.5)
