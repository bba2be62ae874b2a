"""The cost of a call with 10,000 durable sessions, of which 2,000 are open and 200 in use, against a gateway with ten.

The gateway has its maximum number of sessions open and has closed the others. The note reports its memory and open files.
"""

from __future__ import annotations

from bench.control import Control
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.load import Target, load, warm_up
from bench.processes import Server, gateway
from bench.rows.many_sessions import message

_UNIT: Unit = "µs"
_CREATED = 10_000
_OPEN = 2_000
_ACTIVE = 200
_FEW = 10
_FIRST_CALLS = 10
_IDLE_S = 24 * 3600  # nothing is closed but to make room
_BOUND = Bound(times=1.1)


async def measure(plan: Plan) -> list[Line]:
    """Measure calls while thousands of sessions are idle."""
    options = ("--max-open", str(_OPEN), "--idle", str(_IDLE_S))
    with gateway(plan.folder / "few") as few, gateway(plan.folder / "created", *options) as created:
        ask = message(Control(few))
        _make(created, _CREATED - _ACTIVE, world="empty")
        active = _make(created, _ACTIVE)
        in_use = Target(f"{_ACTIVE} of {_CREATED:,} in turn, durable", created, active, ask)
        await warm_up(in_use, calls=_FIRST_CALLS * _ACTIVE)
        ours, theirs = [], []
        for _ in range(plan.rounds):
            # Fresh ones, so that the few do not call into ever longer histories.
            beside = Target(f"{_FEW} in turn, durable", few, _make(few, _FEW), ask)
            await warm_up(beside, calls=_FIRST_CALLS * _FEW)
            theirs.append((await load(beside, seconds=plan.seconds)).cpu_us)
            ours.append((await load(in_use, seconds=plan.seconds)).cpu_us)
        note = f"server CPU per call; {_taken(created)}"
    return [
        compare("idle", Series(in_use.what, ours), Series(beside.what, theirs), unit=_UNIT, bound=_BOUND, note=note)
    ]


def _make(server: Server, count: int, world: str = "studio") -> tuple[str, ...]:
    control = Control(server)
    return tuple(control.session("durable", world).path() for _ in range(count))


def _taken(server: Server) -> str:
    still = Control(server).metric("soundstage_contexts_open")
    return f"{still:.0f} contexts open, {server.memory_mb():.0f} MB, {server.files()} files"
