"""The driver: work on up to `jobs` trials at a time, each leased, worked on within its time, and submitted.

The driver is stateless: it can be killed at any time and restarted, and several can share a run. The trials of a killed driver
become available again when their leases expire.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from soundstage.runs.drive.agent import Agent, Submission, seconds_of
from soundstage.runs.drive.leases import LeaseLost, Leases
from soundstage.runs.models import LeasedTrial

_LAST_WORDS_S = 10.0


@dataclass(frozen=True, slots=True)
class FinishedAttempt:
    """A finished attempt, without a `submission` if its lease was lost."""

    trial: LeasedTrial
    submission: Submission | None
    late: bool
    seconds: float


async def drive(leases: Leases, agent: Agent, *, jobs: int, tell: Callable[[FinishedAttempt], None]) -> None:
    """Let an agent work on the trials of a run until none is left, on up to `jobs` at once.

    On cancellation, the agent's work is terminated and its trials are returned to be repeated.

    Raises:
        RunRefused: The gateway rejects the request or is gone.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(jobs):
                group.create_task(_work(leases, agent, tell))
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None


async def _work(leases: Leases, agent: Agent, tell: Callable[[FinishedAttempt], None]) -> None:
    while (trial := await leases.take()) is not None:
        began = time.monotonic()
        late, submission = False, None
        with contextlib.suppress(LeaseLost):
            try:
                late, submission = await _attempt(leases, agent, trial)
            except asyncio.CancelledError:
                with contextlib.suppress(Exception):
                    stopped = Submission(outcome="gave_up", error="the driver was stopped")
                    await asyncio.wait_for(leases.submit(trial, stopped), _LAST_WORDS_S)
                raise
            await leases.submit(trial, submission)
        tell(FinishedAttempt(trial, submission, late, time.monotonic() - began))


async def _attempt(leases: Leases, agent: Agent, trial: LeasedTrial) -> tuple[bool, Submission]:
    """Work on a trial; return whether its time ran out, and the submission.

    Raises:
        LeaseLost: Another runner has the trial now.
    """
    async with _lease_kept(leases, trial) as lost:
        work = asyncio.create_task(agent.work(trial))
        try:
            await asyncio.wait({work, lost}, timeout=seconds_of(trial), return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return False, work.result()
            if lost.done():
                lost.result()
            return True, Submission(outcome="gave_up", note="the time was over")
        finally:
            work.cancel()
            await asyncio.wait({work})


@contextlib.asynccontextmanager
async def _lease_kept(leases: Leases, trial: LeasedTrial) -> AsyncIterator[asyncio.Task[None]]:
    """Send heartbeats while the block runs; the task ends with an error when the lease is lost."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(trial.lease_s / 8)
            await leases.beat(trial)

    beating = asyncio.create_task(beat())
    try:
        yield beating
    finally:
        beating.cancel()
        await asyncio.wait({beating})
