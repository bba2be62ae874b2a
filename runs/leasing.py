"""Lease trials to runners, each with a newly created session."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.clock import iso, wall_ms
from soundstage.gateway.addresses import Addresses
from soundstage.gateway.extension import GatewayServices
from soundstage.gateway.log import log
from soundstage.gateway.sessions.problems import Draining
from soundstage.gateway.sessions.session import Session
from soundstage.runs.models import Leased, LeasedTrial, Mcp
from soundstage.runs.opening import instruction, limits_of, session_of
from soundstage.runs.store import LEASE_MS, Run, RunStore, RunTask, TrialRow
from soundstage.runs.task_files import task_from_text

_LOOK_S = 0.5
"""Interval in which a waiting request checks for free trials."""


async def lease(
    store: RunStore,
    services: GatewayServices,
    run: Run,
    n: int,
    wait_s: float,
    at: Addresses,
    gone: Callable[[], Awaitable[bool]],
) -> Leased | None:
    """Lease up to `n` trials, waiting for the first one if necessary; None if no trial will become available.

    A runner that is `gone` gets none, because the trial would be blocked until its lease expires.

    Raises:
        Draining: This gateway is shutting down.
        TooManySessions, LowOnDisk, DiskFull: There is no room for a session; nothing has been leased.
        BadRequest: The world has changed since the run began.
    """
    until = time.monotonic() + wait_s
    while True:
        if services.sessions.draining:
            raise Draining
        if await gone():
            return Leased(trials=[])
        left = await store.unfinished(run.id)
        if left["queued"] and (taken := await store.lease(run.id, n)):
            return Leased(trials=await _opened(store, services, run, taken, at))
        if not left["queued"] + left["opening"] + left["open"]:
            return None
        if time.monotonic() >= until:
            return Leased(trials=[])
        await asyncio.sleep(min(_LOOK_S, max(0.0, until - time.monotonic())))


async def _opened(
    store: RunStore, services: GatewayServices, run: Run, taken: list[TrialRow], at: Addresses
) -> list[LeasedTrial]:
    """Create the sessions of leased trials; return the trials that got one and requeue the others if there is no room."""
    tasks = {task.task: task for task in await store.tasks(run.id)}
    opened: list[LeasedTrial] = []
    for i, trial in enumerate(taken):
        try:
            opened.append(await _open(store, services, run, tasks[trial.task], trial, at))
        except BaseException as error:
            for one in taken[i:]:
                await store.give_back(one)
            if not opened or not isinstance(error, Exception):
                raise
            log.warning("fewer trials were leased than asked for", run=run.id, leased=len(opened), reason=str(error))
            return opened
    return opened


async def _open(
    store: RunStore, services: GatewayServices, run: Run, taken: RunTask, trial: TrialRow, at: Addresses
) -> LeasedTrial:
    task, plan = task_from_text(taken.source, taken.task), run.plan
    started_ms = wall_ms()
    wanted = session_of(run, taken, trial, services.settings, services.sessions.upstream_apps(), now_ms=started_ms)
    session = await services.sessions.create(wanted)
    assert wanted.bounds is not None
    closes_ms = wanted.bounds.closes_ms
    if not await store.opened(trial, session.id, started_ms=started_ms, closes_ms=closes_ms):
        await services.sessions.end_bounded(session, keep_s=0)
        raise Draining  # the lease was lost in the meantime
    return LeasedTrial(
        trial=trial.id,
        attempt=trial.attempt,
        task=taken.task if plan.open else taken.alias,
        instruction=instruction(task, trial.variant),
        user=task.user,
        now=_now(session, taken.zone),
        mcp=Mcp(url=at.mcp(session.record.handle), headers={}),
        apps=list(task.apps),
        limits=limits_of(task, plan),
        expires_at=iso(closes_ms),
        lease_s=LEASE_MS / 1000,
    )


def _now(session: Session, zone: str) -> str:
    """Format the session's time in its user's zone, to the second."""
    now = datetime.fromtimestamp(session.summary().clock.now_ms() / 1000, ZoneInfo(zone))
    return now.isoformat(timespec="seconds")
