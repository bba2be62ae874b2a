"""The latency of calls while a session of 100,000 steps is read through all endpoints at once.

Two hundred agents make 250 calls a second, each in its own session, at a fixed rate. The yardstick is the
same gateway at the same load without readers. Agents, gateway and readers share the machine.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from bench.control import Control
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.load import Target, paced, warm_up
from bench.processes import ROOT, Server, gateway
from bench.rows.many_sessions import message
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings, prepare_data_folder
from soundstage.servers.catalogue import load_app

_UNIT: Unit = "ms"
_STEPS = 100_000
_AGENTS = 200
_PER_S = 250.0
_FIRST_CALLS = 5
_NAME = "large"
_ROUTES = (
    "/api/sessions/large",
    "/api/sessions/large/journal",
    "/api/sessions/large/journal.csv",
    "/api/sessions/large/diff?from=0",
    "/api/sessions/large/faults/ledger",
    "/api/faults/report?session=large",
    "/api/sessions/large/state",
    "/api/sessions/large/state?at=50000",
    "/api/sessions/large/tree?app=slack",
    "/api/sessions/large/tables",
    "/api/sessions/large/tables/slack/message",
    "/api/sessions/large/search?q=nowhere",
    "/sessions/large",
    "/sessions/large/apps/slack?at=50000",
    "/sessions/large/diff?from=0",
    "/sessions/large/faults",
)


async def measure(plan: Plan) -> list[Line]:
    """Measure other agents while a session of many steps is read."""
    folder = plan.folder / "large"
    await _make(folder)
    alone, beside = [], []
    with gateway(folder) as server:
        control = Control(server)
        paths = tuple(control.session("memory").path() for _ in range(_AGENTS))
        agents = Target(f"{_AGENTS} agents, {_PER_S:g} calls a second", server, paths, message(control))
        await warm_up(agents, calls=_FIRST_CALLS * _AGENTS)
        for _ in range(plan.rounds):
            end = time.perf_counter() + plan.seconds
            alone.append(
                sorted(await paced(agents, per_s=_PER_S, while_=lambda until=end: time.perf_counter() < until))
            )
            beside.append(sorted(await _while_read(agents, server)))
    what, yardstick = f"{agents.what}, while it is read in {len(_ROUTES)} ways", f"{agents.what}, alone"
    note = f"{_STEPS:,} steps; {min(map(len, beside))} calls and more while it was read"
    return [
        compare(
            "large",
            Series(f"{of}: {what}", [figure(took) * 1e3 for took in beside]),
            Series(yardstick, [figure(took) * 1e3 for took in alone]),
            unit=_UNIT,
            bound=bound,
            note=note,
        )
        for of, figure, bound in (
            ("p99", lambda took: took[len(took) * 99 // 100], Bound(times=1.2)),
            ("longest", lambda took: took[-1], Bound(50)),
        )
    ]


async def _make(folder: Path) -> None:
    """A data folder with a session of many steps, every other one a message."""
    prepare_data_folder(folder)
    sessions = Sessions(Settings(data=folder))
    await sessions.start()
    session, app = await sessions.create(NewSession(name=_NAME)), load_app("slack")
    channel = session.context.app("slack").list("channel", limit=1)[0]["id"]
    for number in range(_STEPS):
        if number % 2:
            dispatch(session, app, "slack_get_channel_history", {"channel_id": channel, "limit": 3})
        else:
            dispatch(session, app, "slack_post_message", {"channel_id": channel, "text": f"message {number} of many"})
    await sessions.stop()


async def _while_read(agents: Target, server: Server) -> list[float]:
    command = (sys.executable, "-m", "bench.taker", str(server.port), *_ROUTES)
    taker = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    try:
        took = await paced(agents, per_s=_PER_S, while_=lambda: taker.returncode is None)
    finally:
        if taker.returncode is None:
            taker.kill()
        await taker.wait()
    if taker.returncode != 0:
        raise RuntimeError("a reading was refused; the gateway's log says more")
    return took
