"""The cost of a call with 1,000 sessions open, against the same gateway with one.

Calls go to all sessions in rotation (so that 1,000 sessions share all caches), and to one of them alone. Each session has
completed its first calls before, which grow its database and prepare its statements.
"""

from __future__ import annotations

from contextlib import ExitStack

from bench.control import Control
from bench.errands import APP, MESSAGE
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.load import Ask, Target, load, warm_up
from bench.processes import Server, gateway
from soundstage.gateway.registry.records import Durability
from soundstage.servers.catalogue import load_app

_UNIT: Unit = "µs"
_MANY = 1000
_FIRST_CALLS = 10
_BOUND = Bound(times=1.1)
_DURABILITIES: tuple[Durability, ...] = ("memory", "durable")


async def measure(plan: Plan) -> list[Line]:
    """Measure calls in many open sessions against one session."""
    return [line for durability in _DURABILITIES for line in await _lines(plan, durability)]


async def _lines(plan: Plan, durability: Durability) -> list[Line]:
    with ExitStack() as running:
        one = running.enter_context(gateway(plan.folder / f"one-{durability}"))
        many = running.enter_context(gateway(plan.folder / f"many-{durability}"))
        ask = message(Control(one))
        in_turn = Target(f"{_MANY} in turn, {durability}", many, _open(many, durability, _MANY), ask)
        await warm_up(in_turn, calls=_FIRST_CALLS * _MANY)
        figures: dict[str, list[float]] = {}
        for _ in range(plan.rounds):
            # Fresh ones, so that neither side calls into a longer history than the other.
            alone = Target(f"the only session, {durability}", one, _open(one, durability, 1), ask)
            beside = Target(f"one of {_MANY}, {durability}", many, _open(many, durability, 1), ask)
            for target in (alone, in_turn, beside):
                measured = await load(target, seconds=plan.seconds)
                figures.setdefault(target.what, []).append(measured.cpu_us)
    yardstick, *others = [Series(what, series) for what, series in figures.items()]
    return [compare("many", ours, yardstick, unit=_UNIT, bound=_BOUND, note="server CPU per call") for ours in others]


def message(control: Control) -> Ask:
    """A message sent through the address of all apps."""
    errand = control.errands(control.session("memory"))[MESSAGE]
    return Ask("tools/call", errand.expect, load_app(APP).prefixed(errand.tool), errand.arguments)


def _open(server: Server, durability: Durability, count: int) -> tuple[str, ...]:
    control = Control(server)
    return tuple(control.session(durability).path() for _ in range(count))
