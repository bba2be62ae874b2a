"""`dispatch` of a writing tool inside this process, receipt and journal included, against apsw alone."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from bench.errands import APP, EVENT, MESSAGE, Errand, errands
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.yardsticks import WriteCall
from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.registry.records import Durability
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_app

_CALLS = 300
_TURNS_PER_ROUND = 4
_UNIT: Unit = "µs"
# The table's yardstick, apsw in memory, took 18.6 µs; there is none for a file, so those bounds are figures alone.
_BOUNDS: dict[tuple[str, Durability], Bound] = {
    (MESSAGE, "memory"): Bound(60, 60 / 18.6),
    (MESSAGE, "durable"): Bound(100),
    (EVENT, "memory"): Bound(110, 110 / 18.6),
    (EVENT, "durable"): Bound(110),
}
_DURABILITIES: tuple[Durability, ...] = ("memory", "durable")


async def step_figures(plan: Plan) -> dict[str, float]:
    """Return the µs of CPU of one step by its name in the row, such as `im_v1_message_create, memory`."""
    return {line.what: line.ours for line in await measure(plan)}


async def measure(plan: Plan) -> list[Line]:
    """Measure one step in process against SQLite alone."""
    lines: list[Line] = []
    plan.folder.mkdir(parents=True, exist_ok=True)
    sessions = Sessions(Settings(data=plan.folder))
    await sessions.start()
    try:
        for durability in _DURABILITIES:
            session = await sessions.create(NewSession(durability=durability))
            epoch_s = session.context.read_meta().clock.at_ms // 1000
            wanted = errands(state.dump(session.context, APP)[APP], epoch_s)
            for errand in wanted.values():
                file = None if durability == "memory" else plan.folder / f"yardstick-{len(lines)}.db"
                bound = _BOUNDS[errand.tool, durability]
                lines.append(_compared(plan, session, errand, WriteCall(file), bound))
    finally:
        await sessions.stop()
    return lines


def _compared(plan: Plan, session: Session, errand: Errand, yardstick: WriteCall, bound: Bound) -> Line:
    app = load_app(APP)

    def call(number: int) -> None:
        made = dispatch(session, app, errand.tool, errand.arguments(number))
        assert made.answer.ok, made.answer

    ours, theirs = _Turns(call), _Turns(yardstick)
    gc.collect()
    gc.freeze()  # as the gateway does once it has loaded everything
    ours.take(), theirs.take()
    figures = [(ours.take(), theirs.take()) for _ in range(plan.rounds * _TURNS_PER_ROUND)]
    gc.unfreeze()
    yardstick.close()
    where = "in memory" if session.durability == "memory" else "in a file, WAL"
    return compare(
        "dispatch",
        Series(f"{errand.tool}, {session.durability}", [a for a, _ in figures]),
        Series(f"apsw alone {where}", [b for _, b in figures]),
        unit=_UNIT,
        bound=bound,
        note="CPU per call",
    )


class _Turns:
    """Batches of calls, numbered through."""

    def __init__(self, call: Callable[[int], None]) -> None:
        self._call = call
        self._number = 0

    def take(self) -> float:
        """µs of CPU a call, over one batch."""
        first = self._number + 1
        self._number += _CALLS
        began = time.process_time()
        for number in range(first, self._number + 1):
            self._call(number)
        return (time.process_time() - began) / _CALLS * 1e6
