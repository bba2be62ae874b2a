"""The cost of a call in an open trial, against the same call in a session outside any trial.

A trial is sealed when it ends. While it is open, each call is checked against its limits and counted. This is measured inside
the process, where 2 % are detectable, and over HTTP, in a trial assigned to a runner.
"""

from __future__ import annotations

import gc
import json
import os
import time
import urllib.request

from bench.control import Control
from bench.errands import APP, MESSAGE, Errand, errands
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.load import Ask, Target, load
from bench.processes import gateway
from bench.wire import HOST
from soundstage.contexts.engine import state
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.calls.toolset import app_toolset
from soundstage.gateway.log import configure
from soundstage.gateway.registry.records import Bounds, Durability
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_app

TASK = "studio/errand"
"""A task in Lark alone."""

_UNIT: Unit = "µs"
_CALLS = 300
_TURNS_PER_ROUND = 8
_MOST_CALLS = 100_000  # more than all turns make
_HOURS = 10
_BOUND = Bound(times=1.02)
_DURABILITIES: tuple[Durability, ...] = ("memory", "durable")


async def measure(plan: Plan) -> list[Line]:
    """Measure a whole trial: lease, calls, submission and grade."""
    configure(level="warning")  # a line of the log for every call would go to the terminal
    lines = [await _inside(plan, durability) for durability in _DURABILITIES]
    return [*lines, await _over_http(plan)]


async def _inside(plan: Plan, durability: Durability) -> Line:
    folder = plan.folder / durability
    folder.mkdir(parents=True)
    sessions = Sessions(Settings(data=folder))
    await sessions.start()
    try:
        bounds = Bounds(max_calls=_MOST_CALLS, closes_ms=time.time_ns() // 1_000_000 + _HOURS * 3_600_000)
        trial = await sessions.create(NewSession(durability=durability, bounds=bounds))
        other = await sessions.create(NewSession(durability=durability))
        epoch_s = other.context.read_meta().clock.at_ms // 1000
        errand = errands(state.dump(other.context, APP)[APP], epoch_s)[MESSAGE]
        calls = CallService(ToolFinder(folder, use_model=False))
        turns = [_Turns(calls, session, errand) for session in (trial, other)]
        gc.collect()
        gc.freeze()  # as the gateway does once it has loaded everything
        for turn in turns:
            await turn.take()
        figures: list[tuple[float, float]] = []
        for number in range(plan.rounds * _TURNS_PER_ROUND):
            first, second = turns if number % 2 else turns[::-1]  # the second one has the longer log
            one, two = await first.take(), await second.take()
            figures.append((one, two) if first is turns[0] else (two, one))
        gc.unfreeze()
    finally:
        await sessions.stop()
    return compare(
        "trial",
        Series(f"{MESSAGE} in a trial, {durability}", [a for a, _ in figures]),
        Series(f"in another session, {durability}", [b for _, b in figures]),
        unit=_UNIT,
        bound=_BOUND,
        note="CPU per call inside the process",
    )


class _Turns:
    """Batches of calls, numbered through."""

    def __init__(self, calls: CallService, session: Session, errand: Errand) -> None:
        self._calls, self._session, self._errand = calls, session, errand
        self._face = app_toolset(APP)
        self._number = 0

    async def take(self) -> float:
        """µs of CPU a call, over one batch."""
        first = self._number + 1
        self._number += _CALLS
        began = time.process_time()
        for number in range(first, self._number + 1):
            call = await self._calls.make_call(
                self._session, self._face, self._errand.tool, self._errand.arguments(number)
            )
            assert call.delivery.ok, call
        return (time.process_time() - began) / _CALLS * 1e6


async def _over_http(plan: Plan) -> Line:
    token = os.urandom(16).hex()
    folder = plan.folder / "gateway"
    folder.mkdir(parents=True)
    (folder / "token").write_text(token)
    with gateway(folder, "--token-file", str(folder / "token")) as server:
        control = Control(server, token)
        plain = control.session("memory", apps=[APP])
        errand = control.errands(plain)[MESSAGE]
        ask = Ask("tools/call", errand.expect, load_app(APP).prefixed(errand.tool), errand.arguments)
        limits = {"calls": _MOST_CALLS, "minutes": _HOURS * 60}
        run = control.request(
            "POST", "/api/runs", {"tasks": [TASK], "k": plan.rounds, "durability": "memory", "limits": limits}
        )
        figures: dict[str, list[float]] = {}
        for _ in range(plan.rounds):  # fresh ones, so that neither side calls into a longer history than the other
            path = _leased(server.port, run["run_token"])
            trial = Target(f"{MESSAGE} in a trial, HTTP", server, (path,), ask)
            made = control.session("memory", apps=[APP])
            other = Target("in another session, HTTP", server, (made.path(),), ask)
            for target in (trial, other):
                figures.setdefault(target.what, []).append((await load(target, seconds=plan.seconds)).cpu_us)
        control.request("POST", f"/api/runs/{run['id']}/stop")
    ours, yardstick = [Series(what, values) for what, values in figures.items()]
    return compare("trial", ours, yardstick, unit=_UNIT, bound=_BOUND, note="server CPU per call")


def _leased(port: int, run_token: str) -> str:
    """The path of the next trial's address."""
    request = urllib.request.Request(
        f"http://{HOST}:{port}/run/lease",
        data=b"{}",
        headers={"Authorization": f"Bearer {run_token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        url: str = json.load(response)["trials"][0]["mcp"]["url"]
    return "/s/" + url.partition("/s/")[2]
