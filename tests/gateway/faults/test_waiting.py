"""Waiting takes the session's time, as it takes a real client's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import ClockMode, Wait
from soundstage.gateway.faults.ledger import ledger
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from tests.gateway.faults.conftest import Faulty, history, post

TIMEOUT = {"fault": "timeout", "after_s": 30, "when": {"call": 1}}
LATE = {"fault": "latency", "distribution": "constant", "ms": 2500, "when": {"call": 1}}
LOST_LATE = {"fault": "lost_ack", "shows": "timeout", "after_s": 45, "when": {"call": 1}}
LOST = {"fault": "lost_ack", "when": {"call": 1}}


def passed_ms(faulty: Faulty, rule: dict[str, Any], mode: ClockMode = "tick") -> int:
    """Return the session's time between a call with a fault and the next call."""
    session = faulty({"rules": [rule]})
    with session.context.transaction():
        session.context.set_clock(mode=mode)
    post(session)
    history(session)
    first, second = journal.read(session.context)
    return second.at_ms - first.at_ms


@pytest.mark.parametrize(
    ("rule", "ms"), [(TIMEOUT, 31_000), (LATE, 3_500), (LOST_LATE, 46_000), (LOST, 1_000)], ids=lambda v: str(v)[:22]
)
def test_a_ticking_clock_moves_by_the_wait_and_its_tick(faulty: Faulty, rule: dict[str, Any], ms: int) -> None:
    assert passed_ms(faulty, rule) == ms


def test_a_frozen_clock_stays_and_a_real_clock_equals_the_wall_clock(faulty: Faulty) -> None:
    assert passed_ms(faulty, TIMEOUT, "frozen") == 0
    assert passed_ms(faulty, TIMEOUT, "real") < 10_000


def test_a_scaled_clock_moves_by_the_wait_without_wall_time(faulty: Faulty) -> None:
    assert 30_000 <= passed_ms(faulty, TIMEOUT, "scaled") < 40_000
    assert passed_ms(faulty, LATE, "scaled") < 2_500, "its client waits by the wall clock, which moves this one already"


def test_the_time_to_recovery_includes_the_wait(faulty: Faulty) -> None:
    session = faulty({"rules": [TIMEOUT]})
    post(session)
    post(session)
    assert ledger(session.context)[0]["seconds_to_recover"] == 31


def test_the_clock_of_a_replay_is_the_same_with_and_without_the_schedule(faulty: Faulty, tmp_path: Path) -> None:
    schedule = {"rules": [TIMEOUT, {"fault": "latency", "when": {"probability": 0.5}}]}
    session = faulty(schedule, seed=2)
    for n in range(12):
        post(session, f"message {n}")
    for again in (faulty(schedule, seed=2), faulty(None, seed=2)):
        assert replay(Sessions(Settings(data=tmp_path)), journal.read(session.context), again) == []
        assert clock_of(again) == clock_of(session)


def test_a_replayed_upstream_takes_its_recorded_time(faulty: Faulty, tmp_path: Path) -> None:
    session, again = faulty(None), faulty(None)
    waited = '{"fault":"timeout","rule":"timeout","landed":true,"wait":{"ms":30000,"real_ms":0}}'
    with session.context.step("upstream", "ask", {}, app="elsewhere") as step:
        step.fault, step.wait = waited, Wait(30_000)
    assert replay(Sessions(Settings(data=tmp_path)), journal.read(session.context), again) == []
    assert clock_of(again) == clock_of(session)


def clock_of(session: Session) -> object:
    return session.context.read_meta().clock
