"""`tools/list` of all apps over HTTP, against the bare low-level server with as many tools."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

from bench.control import FOUR_APPS, Control
from bench.figures import Bound, Line, Parts, Plan, Series, Unit, compare
from bench.load import Ask, Target, first_reply, load_in_turns
from bench.processes import bare_server, floor_server, gateway
from bench.project import copy_with_made_apps

_UNIT: Unit = "ms"
_MANY = 360
_BOUND_OF_FOUR = Bound(0.1)
_BOUND = Bound(0.2)
_BOUND_OF_MANY = Bound(0.2, 0.2 / 8.2)  # the table's yardstick listed 360 tools in 8.2 ms
_LIST = Ask("tools/list", b'"inputSchema"')


async def measure(plan: Plan) -> list[Line]:
    """Measure `tools/list` of four apps and of all apps."""
    with ExitStack() as running:
        full = running.enter_context(gateway(plan.folder / "gateway"))
        control = Control(full)
        count = control.tool_count()
        ours = Target(f"all apps, {count} tools", full, (control.session("memory").path(),), _LIST)
        bare = running.enter_context(bare_server(plan.folder / "bare", tools=count))
        few = Target("four apps", full, (control.session("memory", apps=FOUR_APPS).path(),), _LIST)
        count_of_few = (await first_reply(few)).count(_LIST.expect)
        bare_few = running.enter_context(bare_server(plan.folder / "bare-few", tools=count_of_few))

        root = copy_with_made_apps(plan.folder / "project", _MANY)
        many = running.enter_context(gateway(plan.folder / "gateway-many", root=root))
        path = Control(many).session("memory", world="empty").path()
        ours_many = Target(f"made apps, {_MANY} tools", many, (path,), _LIST)
        bare_many = running.enter_context(bare_server(plan.folder / "bare-many", tools=_MANY))

        replies = [await first_reply(target) for target in (few, ours, ours_many)]
        floors = [running.enter_context(floor_server(plan.folder / f"floor-{len(reply)}", reply)) for reply in replies]
        targets = [
            Target(f"bare list, {count_of_few} tools", bare_few, ("/mcp",), _LIST),
            replace(few, what=f"four apps, {count_of_few} tools"),
            Target("bare ASGI, the same bytes", floors[0], ("/",), _LIST),
            Target(f"bare list, {count} tools", bare, ("/mcp",), _LIST),
            ours,
            Target("bare ASGI, the same bytes", floors[1], ("/",), _LIST),
            Target(f"bare list, {_MANY} tools", bare_many, ("/mcp",), _LIST),
            ours_many,
            Target("bare ASGI, the same bytes", floors[2], ("/",), _LIST),
        ]
        results = await load_in_turns(targets, rounds=plan.rounds, seconds=plan.seconds)
    series = [
        Series(target.what, [one.cpu_us / 1000 for one in loads])
        for target, loads in zip(targets, results, strict=True)
    ]
    return [
        _line(ours, yardstick, wire, bound, len(reply))
        for yardstick, ours, wire, bound, reply in zip(
            series[::3], series[1::3], series[2::3], (_BOUND_OF_FOUR, _BOUND, _BOUND_OF_MANY), replies, strict=True
        )
    ]


def _line(ours: Series, yardstick: Series, wire: Series, bound: Bound, size: int) -> Line:
    note = f"server CPU per list of {size / 1000:.0f} kB"
    parts = Parts.of(ours.typical, wire=wire.typical, step=0)
    return compare("list", ours, yardstick, unit=_UNIT, bound=bound, note=note, parts=parts)
