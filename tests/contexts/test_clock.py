from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.contexts.engine import clock
from soundstage.contexts.engine.clock import Clock


@given(st.integers(0, 253_402_300_799_999))
def test_milliseconds_survive_the_way_there_and_back(milliseconds: int) -> None:
    assert clock.to_ms(clock.from_ms(milliseconds)) == milliseconds
    assert clock.to_ms(clock.parse_moment(clock.iso(milliseconds))) == milliseconds


def test_modes_move_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "wall_ms", lambda: 5_000)
    assert Clock("frozen", 100).now_ms() == Clock("tick", 100).now_ms() == 100
    assert Clock("frozen", 100).after_call() == 100
    assert Clock("tick", 100, tick_ms=7).after_call() == 107
    assert Clock("real", 100).now_ms() == 5_000
    assert Clock("scaled", 100, scale=10, set_at_ms=4_000).now_ms() == 100 + 10 * 1_000


def test_a_moment_without_offset_is_utc() -> None:
    assert clock.parse_moment("2026-11-20T07:45:00") == datetime(2026, 11, 20, 7, 45, tzinfo=UTC)
    with pytest.raises(ValueError, match="write it like"):
        clock.parse_moment("yesterday")
