"""Giving trials to runners: leased, each with a session of its own that has just been made."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.clock import iso, wall_ms
from soundstage.gateway.addresses import Addresses
from soundstage.gateway.extension import Ground
from soundstage.gateway.log import log
from soundstage.gateway.sessions.problems import Draining
from soundstage.gateway.sessions.session import Session
from soundstage.runs.book import LEASE_MS, Book, Run, RunTask, TrialRow
from soundstage.runs.models import Leased, LeasedTrial, Mcp
from soundstage.runs.opening import instruction, limits_of, session_of
from soundstage.runs.shelf import task_in

_LOOK_S = 0.5
"""How often somebody who waits looks whether a trial has come free."""


async def lease(
    book: Book, ground: Ground, run: Run, n: int, wait_s: float, at: Addresses, gone: Callable[[], Awaitable[bool]]
) -> Leased | None:
    """Up to `n` trials, after waiting for one for so long at most. None where nothing is left, now and later. A runner that is
    `gone` gets none: it would be a trial in nobody's hands until its lease has run out.

    Raises:
        Draining: this gateway is about to end.
        TooManySessions, LowOnDisk, DiskFull: there is no room for a session; nothing has been leased then.
        BadRequest: the world has changed since the run began.
    """
    until = time.monotonic() + wait_s
    while True:
        if ground.sessions.draining:
            raise Draining
        if await gone():
            return Leased(trials=[])
        left = await book.unfinished(run.id)
        if left["queued"] and (taken := await book.lease(run.id, n)):
            return Leased(trials=await _opened(book, ground, run, taken, at))
        if not left["queued"] + left["opening"] + left["open"]:
            return None
        if time.monotonic() >= until:
            return Leased(trials=[])
        await asyncio.sleep(min(_LOOK_S, max(0.0, until - time.monotonic())))


async def _opened(book: Book, ground: Ground, run: Run, taken: list[TrialRow], at: Addresses) -> list[LeasedTrial]:
    """The trials with their sessions. Where there is no room for all of them, those that have one; the others are given back."""
    tasks = {task.task: task for task in await book.tasks(run.id)}
    opened: list[LeasedTrial] = []
    for i, trial in enumerate(taken):
        try:
            opened.append(await _open(book, ground, run, tasks[trial.task], trial, at))
        except BaseException as error:
            for one in taken[i:]:
                await book.give_back(one)
            if not opened or not isinstance(error, Exception):
                raise
            log.warning("fewer trials were leased than asked for", run=run.id, leased=len(opened), reason=str(error))
            return opened
    return opened


async def _open(book: Book, ground: Ground, run: Run, taken: RunTask, trial: TrialRow, at: Addresses) -> LeasedTrial:
    task, plan = task_in(taken.source, taken.task), run.plan
    started_ms = wall_ms()
    wanted = session_of(run, taken, trial, ground.settings, ground.sessions.apps_outside(), now_ms=started_ms)
    session = await ground.sessions.create(wanted)
    assert wanted.bounds is not None
    closes_ms = wanted.bounds.closes_ms
    if not await book.opened(trial, session.id, started_ms=started_ms, closes_ms=closes_ms):
        await ground.sessions.end_bounded(session, keep_s=0)
        raise Draining  # so slow that somebody else has it by now
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
    """The session's time as its person would write it, to the second."""
    now = datetime.fromtimestamp(session.told().clock.now_ms() / 1000, ZoneInfo(zone))
    return now.isoformat(timespec="seconds")
