"""A call that cannot be stored is not the agent's failure: the attempt counts as `infra`, and the trial is repeated."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from soundstage.contexts.engine.problems import DiskFull
from soundstage.gateway.calls.kernel_handler import KernelHandler
from soundstage.gateway.registry.database import RegistryFull
from soundstage.runs.closing import TrialCloser
from soundstage.runs.store import RunStore
from tests.conftest import wait_until
from tests.runs.conftest import ERRAND, Agent, Stage

READ = "lark_calendar_v4_calendar_primary"


async def _full(*arguments: object) -> None:
    raise DiskFull("the disk is full")


@pytest.mark.parametrize("queued_before", [False, True], ids=["submitted first", "queued first"])
def test_an_attempt_on_a_full_disk_is_repeated(
    stage: Stage, solve: Callable[[Agent, str], str], monkeypatch: pytest.MonkeyPatch, queued_before: bool
) -> None:
    runner = stage.begin()
    trial, agent = runner.take()

    async def later(*arguments: object) -> None:
        """The gateway's round comes after the submission."""

    with monkeypatch.context() as patch:
        patch.setattr(KernelHandler, "handle", _full)
        if not queued_before:
            patch.setattr(TrialCloser, "_fail_unstored", later)
        assert "free disk space" in agent.call(READ, useUAT=True).text
        if queued_before:
            wait_until(lambda: stage.trials(runner)[0]["state"] == "queued")
        answer = runner.submit(trial, "I could not do it.")
    assert answer.status_code == (409 if queued_before else 202), answer.text
    assert stage.trials(runner)[0]["state"] == "queued"
    again, agent = runner.take()
    assert again["attempt"] == 2
    runner.submit(again, solve(agent, ERRAND))
    [result] = stage.until_done(runner)
    assert (result["ended"], result["success"]) == ("answered", True)
    [row] = stage.trials(runner)
    assert row["infra"] == 1


def test_an_attempt_that_is_never_submitted_is_repeated_as_well(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = stage.begin()
    _, agent = runner.take()
    with monkeypatch.context() as patch:
        patch.setattr(KernelHandler, "handle", _full)
        agent.call(READ, useUAT=True)
    wait_until(lambda: stage.trials(runner)[0]["state"] == "queued")
    assert runner.take()[0]["attempt"] == 2


def _registry_full(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    async def refuse(*arguments: object, **named: object) -> None:
        raise RegistryFull(stage.data / "registry.db")

    patch.setattr(RunStore, "submit", refuse)


def _marked(stage: Stage) -> list[Path]:
    """Return the marks of submissions that could not be stored, which a restarted gateway reads."""
    return list((stage.data / "unstored").glob("*.submission"))


def _over(stage: Stage, trial: str) -> None:
    """Let the time of a trial expire."""
    stage.in_registry("UPDATE trial SET closes_ms = 1 WHERE id = ?", trial)


def test_a_submission_that_cannot_be_stored_is_refused_and_accepted_when_repeated(
    stage: Stage, solve: Callable[[Agent, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = stage.begin()
    trial, agent = runner.take()
    answer = solve(agent, ERRAND)
    with monkeypatch.context() as patch:
        _registry_full(patch, stage)
        refused = runner.submit(trial, answer)
        assert refused.status_code == 507
        assert "disk is full" in refused.json()["error"]
        assert str(stage.data) not in refused.text
    assert runner.submit(trial, answer).status_code == 202
    [result] = stage.until_done(runner)
    assert (result["ended"], result["success"]) == ("answered", True)
    assert not _marked(stage)


@pytest.mark.parametrize("by_agent", [False, True], ids=["runner", "submit_answer"])
def test_a_refused_submission_that_is_not_repeated_in_time_counts_as_infra(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, by_agent: bool
) -> None:
    runner = stage.begin(answer_tool=True)
    trial, agent = runner.take()
    with monkeypatch.context() as patch:
        _registry_full(patch, stage)
        if by_agent:
            refused = agent.call("submit_answer", text="It is done.")
            assert "disk is full" in refused.json()["error"]["message"]
            assert str(stage.data) not in refused.text
        else:
            assert runner.submit(trial, "It is done.").status_code == 507
    assert _marked(stage)
    _over(stage, trial["trial"])
    wait_until(lambda: stage.trials(runner)[0]["state"] == "queued")
    assert runner.take()[0]["attempt"] == 2
    wait_until(lambda: not _marked(stage))


def test_a_trial_is_sealed_once_the_disk_has_room_again(
    stage: Stage, solve: Callable[[Agent, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = stage.begin()
    trial, agent = runner.take()
    answer = solve(agent, ERRAND)
    tried = threading.Event()
    with monkeypatch.context() as patch:

        async def refuse(*arguments: object) -> None:
            tried.set()
            raise DiskFull("the disk is full")

        patch.setattr(TrialCloser, "_session_of", refuse)
        runner.submit(trial, answer)
        assert tried.wait(60)
        assert stage.trials(runner)[0]["state"] == "closing"
    [result] = stage.until_done(runner)
    assert (result["ended"], result["success"]) == ("answered", True)
