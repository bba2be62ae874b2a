"""A call through the gateway to an upstream: its cost in addition to the upstream's own."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from bench.control import Control
from bench.figures import Bound, Line, Plan, Series, compare
from bench.load import HANDSHAKE, MODERN, Ask, Load, Revision, Target, load_in_turns
from bench.processes import Server, bare_server, gateway

_OVER = Bound(at_most=1500)
_NAME = "bare"


def _echo(number: int) -> Mapping[str, Any]:
    return {"text": f"Call sheet {number} is in the folder, please have a look before lunch."}


@dataclass(frozen=True, slots=True)
class _Side:
    """One revision: the upstream asked directly, and through the gateway."""

    revision: Revision
    direct: Target
    through: Target


async def measure(plan: Plan) -> list[Line]:
    """Measure calls through the gateway to an upstream against direct calls."""
    with ExitStack() as running:
        bare = running.enter_context(bare_server(plan.folder / "bare"))
        front = running.enter_context(gateway(plan.folder / "gateway"))
        _mount(front, bare)
        path = Control(front).session("memory", world="empty").path(_NAME)
        sides = [_side(revision, bare, front, path) for revision in (MODERN, HANDSHAKE)]
        targets = [target for side in sides for target in (side.direct, side.through)]
        results = await load_in_turns(targets, rounds=plan.rounds, seconds=plan.seconds)
    loads = {target.what: loads for target, loads in zip(targets, results, strict=True)}
    return [_line(side, loads[side.through.what], loads[side.direct.what]) for side in sides]


def _mount(front: Server, bare: Server) -> None:
    Control(front).request(
        "POST", "/api/upstreams", {"mcpServers": {_NAME: {"url": f"http://127.0.0.1:{bare.port}/mcp"}}}
    )


def _side(revision: Revision, bare: Server, front: Server, path: str) -> _Side:
    ask = Ask("tools/call", b"text", "echo", _echo)
    return _Side(
        revision,
        Target(f"the upstream alone, {revision}", bare, ("/mcp",), ask, revision),
        Target(f"the gateway's share of a proxied call, {revision}", front, (path,), ask, revision),
    )


def _line(side: _Side, through: list[Load], direct: list[Load]) -> Line:
    typical = sorted(through, key=lambda one: one.cpu_us)[len(through) // 2]
    return compare(
        "upstream",
        Series(side.through.what, [one.cpu_us for one in through]),
        Series(side.direct.what, [one.cpu_us for one in direct]),
        unit="µs",
        bound=_OVER,
        note=f"CPU per call; through the gateway {typical.calls_per_s:.0f} calls/s, p50 {typical.p50_ms:.2f} ms",
    )
