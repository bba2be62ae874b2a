"""Rules for changing a session's clock: valid values, and how long the clock must last."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.clock import CLOCK_MODES, END_MS, Clock, ClockMode, wall_ms
from soundstage.gateway.sessions.problems import BadRequest

_CALLS = 100_000  # number of calls that a ticking clock must have room for
_DAY_MS = 86_400_000
_LASTS_MS = 30 * _DAY_MS  # time that a scaled clock must have room for in a session that never expires


@dataclass(frozen=True, slots=True)
class ClockChange:
    """A requested clock change. None means the current value or the default. Times are in milliseconds."""

    mode: ClockMode | None = None
    at_ms: int | None = None
    tick_ms: int | None = None
    scale: float | None = None

    def as_arguments(self) -> dict[str, Any]:
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}


def check_clock(change: ClockChange) -> None:
    """Check the values of a clock change.

    Raises:
        BadRequest: the message names the valid values.
    """
    if change.mode is not None and change.mode not in CLOCK_MODES:
        raise BadRequest(f"unknown clock mode {change.mode!r}; known: {', '.join(CLOCK_MODES)}")
    if change.tick_ms is not None and change.tick_ms < 0:
        raise BadRequest("a clock's tick must be 0 ms or more")
    if change.scale is not None and not 0 <= change.scale <= 1e6:
        raise BadRequest("a clock's scale must be between 0 and 1,000,000")
    if change.at_ms is not None and not 0 <= change.at_ms < END_MS:
        raise BadRequest("a clock's time must be between 1970 and the year 9999, in which clocks stop")


def first_clock(change: ClockChange, epoch_ms: int) -> Clock:
    """Return the clock of a new session in a world that starts at `epoch_ms`.

    Raises:
        BadRequest: see `check_clock`.
    """
    check_clock(change)
    return changed_clock(Clock("tick", epoch_ms), change)


def changed_clock(clock: Clock, change: ClockChange) -> Clock:
    """Return the clock after a change."""
    return Clock(
        change.mode or clock.mode,
        clock.now_ms() if change.at_ms is None else change.at_ms,
        clock.tick_ms if change.tick_ms is None else change.tick_ms,
        clock.scale if change.scale is None else change.scale,
        wall_ms(),
    )


def check_clock_range(clock: Clock, lasts_ms: int | None) -> None:
    """Check that a clock does not reach its end during the session (`lasts_ms` of wall time; None if unknown).

    Raises:
        BadRequest: the message names the largest valid value.
    """
    room = END_MS - clock.at_ms
    if clock.mode == "tick" and clock.tick_ms * _CALLS > room:
        raise BadRequest(
            f"clock.tick_ms: with {clock.tick_ms} ms a call the clock would reach the year 9999, where it stops, within "
            f"{_CALLS:,} calls; from there on it can be at most {room // _CALLS} ms, or start with an earlier `at`"
        )
    lasts = _LASTS_MS if lasts_ms is None else max(lasts_ms, 0)
    if clock.mode == "scaled" and clock.scale * lasts > room:
        days = math.ceil(lasts / _DAY_MS)
        raise BadRequest(
            f"clock.scale: {clock.scale:g} times as fast as the wall clock it would reach the year 9999, where it stops, "
            f"within {days} days of running; it can be at most {room / max(lasts, 1):.0f}, or start with an earlier `at`"
        )
