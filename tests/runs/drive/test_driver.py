"""The driver: every trial is worked on once, within its time, and none is lost or submitted twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from soundstage.runs.drive.agent import Submission
from soundstage.runs.drive.driver import FinishedAttempt, drive
from soundstage.runs.drive.leases import Leases, RunRejected
from soundstage.runs.models import LeasedTrial
from tests.runs.drive.fake_gateway import TOKEN, FakeGateway, served, trial


class Agent:
    def __init__(self, work: Callable[[LeasedTrial], Awaitable[Submission]]) -> None:
        self.work = work


async def quick(mine: LeasedTrial) -> Submission:
    await asyncio.sleep(0.05)
    return Submission(answer=f"of {mine.trial}")


async def endless(mine: LeasedTrial) -> Submission:
    await asyncio.sleep(60)
    raise AssertionError("it was called off before")


async def driven(
    gateway: FakeGateway, agent: Callable[[LeasedTrial], Awaitable[Submission]], jobs: int = 1
) -> list[FinishedAttempt]:
    attempts: list[FinishedAttempt] = []
    async with Leases(gateway.url, TOKEN, gone_s=5) as leases:
        await drive(leases, Agent(agent), jobs=jobs, tell=attempts.append)
    return attempts


async def test_every_trial_is_submitted_once_with_at_most_jobs_at_a_time() -> None:
    with served(FakeGateway([trial(f"tr_{i}") for i in range(7)])) as gateway:
        attempts = await driven(gateway, quick, jobs=3)
    assert gateway.submissions == {
        f"tr_{i}": {"attempt": 1, "outcome": "done", "answer": f"of tr_{i}"} for i in range(7)
    }
    assert sorted(d.trial.trial for d in attempts) == sorted(gateway.submissions)
    assert gateway.most_at_once == 3


async def test_an_agent_over_its_time_is_cancelled_and_has_given_up() -> None:
    with served(FakeGateway([trial(seconds=0.3)])) as gateway:
        (attempts,) = await driven(gateway, endless)
    assert gateway.submissions["tr_1"]["outcome"] == "gave_up"
    assert attempts.late


async def test_heartbeats_are_sent_for_running_trials_and_cancelled_ones_are_not_submitted() -> None:
    with served(FakeGateway([trial("kept", seconds=1, lease_s=0.4), trial("off", lease_s=0.4)])) as gateway:
        gateway.cancelled = frozenset({"off"})
        attempts = await driven(gateway, endless, jobs=2)
    assert gateway.beats.count("kept") >= 2
    assert set(gateway.submissions) == {"kept"}
    assert next(d.submission for d in attempts if d.trial.trial == "off") is None


async def test_a_stopped_driver_returns_its_trials() -> None:
    under_way = asyncio.Semaphore(0)

    async def begins(mine: LeasedTrial) -> Submission:
        under_way.release()
        return await endless(mine)

    with served(FakeGateway([trial("tr_1"), trial("tr_2")])) as gateway:
        driving = asyncio.create_task(driven(gateway, begins, jobs=2))
        for _ in range(2):
            await under_way.acquire()
        driving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await driving
    assert {name: body["error"] for name, body in gateway.submissions.items()} == {
        "tr_1": "the driver was stopped",
        "tr_2": "the driver was stopped",
    }


async def test_a_gateway_that_is_briefly_away_or_full_is_waited_for() -> None:
    with served(FakeGateway([trial()], away=2, full=2)) as gateway:
        await driven(gateway, quick)
    assert gateway.submissions["tr_1"]["answer"] == "of tr_1"


async def test_a_refusal_ends_the_driver_with_the_gateways_message() -> None:
    with served(FakeGateway([trial()])) as gateway:
        async with Leases(gateway.url, "of another run") as leases:
            with pytest.raises(RunRejected, match="this needs the token of a run"):
                await drive(leases, Agent(quick), jobs=2, tell=lambda attempts: None)


async def test_a_gateway_that_stays_away_is_reported() -> None:
    async with Leases("http://127.0.0.1:9", TOKEN, gone_s=0.6) as leases:
        with pytest.raises(RunRejected, match="the rest of the run can be driven later"):
            await drive(leases, Agent(quick), jobs=1, tell=lambda attempts: None)
