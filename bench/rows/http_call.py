"""A writing tool over HTTP, all apps loaded, against the bare low-level server; and with 2 tools or 600."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from statistics import median
from typing import Any

from bench.control import Control
from bench.errands import APP, EVENT, MESSAGE, Errand
from bench.figures import Bound, Line, Parts, Plan, Series, Unit, compare
from bench.load import HANDSHAKE, Ask, Load, Target, first_reply, load_in_turns
from bench.processes import Server, bare_server, floor_server, gateway
from bench.project import NOTE_TOOL, NOTES, copy_with_made_apps
from bench.rows.dispatch import step_figures
from soundstage.servers.catalogue import load_app

_UNIT: Unit = "µs"
_IN_MEMORY, _DURABLE = Bound(times=0.6), Bound(times=0.8)
_THE_SAME = Bound(times=1.1)


def _note(number: int) -> Mapping[str, Any]:
    return {"title": f"note {number}", "body": "Call sheet is in the folder, please have a look before lunch."}


def _echo(number: int) -> Mapping[str, Any]:
    return {"text": f"Call sheet {number} is in the folder, please have a look before lunch."}


def note_target(server: Server, tools: int) -> Target:
    """`note_add` of a gateway that has made apps alone."""
    session = Control(server).session("memory", world="empty")
    ask = Ask("tools/call", b"title", f"{NOTES}_{NOTE_TOOL}", _note)
    return Target(f"gateway's note_add, {tools} tools", server, (session.path(),), ask)


async def measure(plan: Plan) -> list[Line]:
    """Measure a writing call over HTTP against the bare low-level server."""
    with ExitStack() as running:
        bare = running.enter_context(bare_server(plan.folder / "bare"))
        note = Target("bare note_add", bare, ("/mcp",), Ask("tools/call", b"title", NOTE_TOOL, _note))
        echo = Target("bare echo", bare, ("/mcp",), Ask("tools/call", b"text", "echo", _echo))
        note_2025 = Target("bare note_add, 2025-11-25", bare, ("/mcp",), note.ask, HANDSHAKE)

        full = running.enter_context(gateway(plan.folder / "gateway"))
        control = Control(full)
        in_memory, durable = control.session("memory"), control.session("durable")
        wanted = control.errands(in_memory)
        message, event = wanted[MESSAGE], wanted[EVENT]
        prefixed = _ask(message, prefixed=True)
        sent = Target(f"{message.tool}, all apps", full, (in_memory.path(),), prefixed)
        alone = Target(f"{message.tool}, {APP} alone", full, (in_memory.path(APP),), _ask(message))
        durably = Target(f"{message.tool}, all apps, durable", full, (durable.path(),), prefixed)
        planned = Target(f"{event.tool}, all apps", full, (in_memory.path(),), _ask(event, prefixed=True))
        sent_2025 = Target(f"{message.tool}, all apps, 2025-11-25", full, (in_memory.path(),), prefixed, HANDSHAKE)

        made = {}
        for tools in (2, 600):
            root = copy_with_made_apps(plan.folder / f"project-{tools}", tools)
            made[tools] = note_target(
                running.enter_context(gateway(plan.folder / f"gateway-{tools}", root=root)), tools
            )

        wire_alone = running.enter_context(floor_server(plan.folder / "floor", await first_reply(sent)))
        floor = Target("bare ASGI", wire_alone, ("/",), sent.ask)
        targets = [floor, note, echo, sent, alone, durably, planned, made[2], made[600], note_2025, sent_2025]
        results = await load_in_turns(targets, rounds=plan.rounds, seconds=plan.seconds)
    steps = await step_figures(replace(plan, folder=plan.folder / "steps"))

    loads = {target.what: loads for target, loads in zip(targets, results, strict=True)}
    a_message, an_event = steps[f"{message.tool}, memory"], steps[f"{event.tool}, memory"]
    a_durable_message = steps[f"{message.tool}, durable"]
    pairs: list[tuple[Target, Target, Bound, float | None]] = [
        (sent, note, _IN_MEMORY, a_message),
        (sent, echo, _IN_MEMORY, a_message),
        (durably, note, _DURABLE, a_durable_message),
        (planned, note, _IN_MEMORY, an_event),
        (made[600], note, _IN_MEMORY, None),
        (sent_2025, note_2025, _IN_MEMORY, a_message),
        (sent, alone, _THE_SAME, a_message),
        (made[600], made[2], _THE_SAME, None),
    ]
    wire = median(one.cpu_us for one in loads[floor.what])
    return [
        _line(ours, loads[ours.what], yardstick, loads[yardstick.what], bound, wire=wire, step=step)
        for ours, yardstick, bound, step in pairs
    ]


def _ask(errand: Errand, *, prefixed: bool = False) -> Ask:
    tool = load_app(APP).prefixed(errand.tool) if prefixed else errand.tool
    return Ask("tools/call", errand.expect, tool, errand.arguments)


def _line(
    ours: Target,
    our_loads: list[Load],
    yardstick: Target,
    their_loads: list[Load],
    bound: Bound,
    *,
    wire: float,
    step: float | None,
) -> Line:
    whole = median(one.cpu_us for one in our_loads)
    typical = sorted(our_loads, key=lambda one: one.cpu_us)[len(our_loads) // 2]
    waits = f"p50 {typical.p50_ms:.2f} ms, p99 {typical.p99_ms:.2f} ms"
    note = f"server CPU per call; {typical.calls_per_s:.0f} calls/s, {waits}"
    return compare(
        "http",
        Series(ours.what, [one.cpu_us for one in our_loads]),
        Series(yardstick.what, [one.cpu_us for one in their_loads]),
        unit=_UNIT,
        bound=bound,
        note=note if step is not None else f"wire {wire:.3g} µs; {note}",
        parts=None if step is None else Parts.of(whole, wire=wire, step=step),
    )
