"""A forward jump of the system clock ends no attempt whose runner and agent are alive."""

from __future__ import annotations

import threading

import pytest

from soundstage.gateway.clock_jumps import JumpDetector
from soundstage.runs.store import RunStore
from tests.runs.conftest import Stage


def test_leases_restart_after_a_jump(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = stage.begin()
    trial, _ = runner.take()
    renewed, looked = threading.Event(), threading.Event()
    restart, lapsed = RunStore.restart_leases, RunStore.lapsed

    async def jump_then_restart(store: RunStore) -> None:
        stage.in_registry("UPDATE trial SET until_ms = 1 WHERE id = ?", trial["trial"])
        await restart(store)
        renewed.set()

    async def look(store: RunStore) -> object:
        found = await lapsed(store)
        if renewed.is_set():
            looked.set()
        return found

    monkeypatch.setattr(RunStore, "restart_leases", jump_then_restart)
    monkeypatch.setattr(RunStore, "lapsed", look)
    monkeypatch.setattr(JumpDetector, "jump_s", lambda detector: 7200.0)
    assert looked.wait(60)
    assert stage.trials(runner)[0]["state"] == "open"
    assert runner.submit(trial, "It is done.").status_code == 202
