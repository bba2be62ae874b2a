"""A call that cannot be stored is not the agent's failure: the attempt counts as `infra`, and the trial is repeated."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from soundstage.contexts.engine.problems import DiskFull
from soundstage.gateway.calls.kernels import Kernels
from tests.conftest import wait_until
from tests.runs.conftest import ERRAND, Agent, Stage

READ = "lark_calendar_v4_calendar_primary"


async def _full(*arguments: object) -> None:
    raise DiskFull("the disk is full")


def test_an_attempt_on_a_full_disk_is_repeated(
    stage: Stage, solve: Callable[[Agent, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = stage.begin()
    trial, agent = runner.take()
    with monkeypatch.context() as patch:
        patch.setattr(Kernels, "answer", _full)
        assert "free disk space" in agent.call(READ, useUAT=True).text
    assert runner.submit(trial, "I could not do it.").status_code == 202
    again, agent = runner.take()
    assert again["attempt"] == 2
    runner.submit(again, solve(agent, ERRAND))
    [result] = stage.until_done(runner)
    assert (result["ended"], result["success"]) == ("answered", True)
    [row] = stage.trials(runner)
    assert row["infra"] == 1


def test_an_attempt_that_is_never_submitted_is_repeated_too(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = stage.begin()
    _, agent = runner.take()
    with monkeypatch.context() as patch:
        patch.setattr(Kernels, "answer", _full)
        agent.call(READ, useUAT=True)
    wait_until(lambda: stage.trials(runner)[0]["state"] == "queued")
    assert runner.take()[0]["attempt"] == 2
