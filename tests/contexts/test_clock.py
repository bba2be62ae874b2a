from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.contexts.engine import clock, journal
from soundstage.contexts.engine.clock import Clock, ClockMode
from soundstage.contexts.engine.problems import ClockEnded
from soundstage.contexts.engine.store import Context, digest
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app


@given(st.integers(0, 253_402_300_799_999))
def test_milliseconds_survive_formatting_and_parsing(milliseconds: int) -> None:
    assert clock.to_ms(clock.from_ms(milliseconds)) == milliseconds
    assert clock.to_ms(clock.parse_moment(clock.iso(milliseconds))) == milliseconds


def test_each_clock_mode_advances_as_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "wall_ms", lambda: 5_000)
    assert Clock("frozen", 100).now_ms() == Clock("tick", 100).now_ms() == 100
    assert Clock("frozen", 100).ticked().at_ms == 100
    assert Clock("tick", 100, tick_ms=7).ticked().at_ms == 107
    assert Clock("real", 100).now_ms() == 5_000
    assert Clock("scaled", 100, scale=10, set_at_ms=4_000).now_ms() == 100 + 10 * 1_000


def test_a_scaled_clock_does_not_go_back_when_the_system_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "wall_ms", lambda: 5_000)
    assert Clock("scaled", 100, scale=10, set_at_ms=3_600_000).now_ms() == 100


def test_a_time_without_offset_is_utc() -> None:
    assert clock.parse_moment("2026-11-20T07:45:00") == datetime(2026, 11, 20, 7, 45, tzinfo=UTC)
    with pytest.raises(ValueError, match="write it like"):
        clock.parse_moment("yesterday")


@given(st.sampled_from(["tick", "scaled", "frozen"]), st.integers(0, 2**60), st.integers(0, 2**53), st.floats(0, 1e6))
def test_no_clock_passes_the_maximum_time(mode: ClockMode, at_ms: int, tick_ms: int, scale: float) -> None:
    running = Clock(mode, at_ms, tick_ms, scale)
    assert clock.iso(running.now_ms()) <= "9999-01-01T00:00:00.000Z"
    assert running.mode != "tick" or clock.iso(running.ticked().at_ms) <= "9999-01-01T00:00:00.000Z"


@pytest.mark.parametrize(("mode", "moved_ms"), [("tick", 61_000), ("frozen", 0)])
def test_an_apps_wait_moves_the_clock_even_if_its_call_fails(context: Context, mode: ClockMode, moved_ms: int) -> None:
    with context.step("clock", "set", {}):
        context.set_clock(mode=mode, tick_ms=1000)
    before_ms = context.read_meta().clock.now_ms()
    with context.step("call", "test", {}, app="sample") as call:
        app = context.app("sample")
        app.create("owner", {"name": "Mei"})
        app.wait(60_000)
        assert clock.to_ms(app.now()) == before_ms
        call.undo_changes()
    assert context.read_meta().clock.now_ms() == before_ms + moved_ms


def test_a_call_at_the_maximum_time_is_refused_and_the_clock_can_be_set_back(
    new_session: Callable[..., Session],
) -> None:
    session = new_session(at="2026-11-20T08:00:00Z")
    with session.context.step("clock", "clock", {}):
        session.context.set_clock(mode="tick", at_ms=clock.END_MS - 1500, tick_ms=1000)
    app = load_app("slack")
    calls = [dispatch(session, app, "slack_list_channels", {}) for _ in range(2)]
    assert [call.step for call in calls] == [2, 3]
    before = digest(session.context)
    with pytest.raises(ClockEnded, match="set it to an earlier moment"):
        dispatch(session, app, "slack_list_channels", {})
    assert journal.last_step(session.context) == 3
    assert digest(session.context) == before
    with session.context.step("clock", "clock", {}):
        session.context.set_clock(at_ms=0)
    assert dispatch(session, app, "slack_list_channels", {}).step == 5
