"""The session's clock. It starts at the world's epoch and belongs to the session, never to the process.

Modes: `tick` (moves by a fixed step after each call, and by how long its answer was waited for), `frozen`, `scaled` (wall
time times a factor, and the waiting that took no wall time) and `real` (wall time, whatever is said of waiting).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

ClockMode = Literal["tick", "frozen", "scaled", "real"]
CLOCK_MODES: tuple[ClockMode, ...] = get_args(ClockMode)
DEFAULT_TICK_MS = 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
END_MS = 253_370_764_800_000
"""9999-01-01, where every clock stops. Python's and JavaScript's dates end with that year, and date arithmetic of apps (time
zones, a week later) needs room after it.
"""


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a client waits for an answer, in milliseconds: in the session's time, and of that really, by the wall clock."""

    ms: int
    real_ms: int = 0


@dataclass(frozen=True, slots=True)
class Clock:
    """A session's clock as it is stored. All times are milliseconds since 1970 (UTC).

    `at_ms` is the session's time at the wall time `set_at_ms`; only `scaled` and `real` look at the wall clock. None goes
    beyond `END_MS`.
    """

    mode: ClockMode
    at_ms: int
    tick_ms: int = DEFAULT_TICK_MS
    scale: float = 1.0
    set_at_ms: int = 0

    def now_ms(self) -> int:
        """Return the session's time in milliseconds since 1970."""
        if self.mode == "real":
            return wall_ms()
        if self.mode == "scaled":
            passed_ms = max(wall_ms() - self.set_at_ms, 0)  # the system's clock may have been set back
            return min(self.at_ms + int(passed_ms * self.scale), END_MS)
        return min(self.at_ms, END_MS)

    def ticked(self, wait: Wait | None = None) -> Clock:
        """The clock once a call has been answered, for which its client may have had to wait."""
        if self.mode == "tick":
            passed_ms = self.tick_ms if wait is None else self.tick_ms + wait.ms
        elif self.mode == "scaled" and wait is not None:
            passed_ms = max(wait.ms - wait.real_ms, 0)
        else:
            return self
        at_ms = min(self.at_ms + passed_ms, END_MS)
        return Clock(self.mode, at_ms, self.tick_ms, self.scale, self.set_at_ms)  # in half the time of `replace`


def wall_ms() -> int:
    """Return the wall clock's time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def from_ms(milliseconds: int) -> datetime:
    """Milliseconds since 1970 as an aware UTC datetime, exact."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def to_ms(moment: datetime) -> int:
    """An aware datetime as milliseconds since 1970, exact."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def to_s(moment: datetime) -> int:
    """An aware datetime as whole seconds since 1970."""
    return (moment - _EPOCH) // timedelta(seconds=1)


def parse_moment(text: str) -> datetime:
    """Parse an ISO 8601 timestamp; without an offset it is UTC.

    Raises:
        ValueError: names the text and the valid form.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a moment; write it like 2026-11-20T07:45:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def iso(milliseconds: int) -> str:
    """Milliseconds since 1970 in ISO 8601 with milliseconds and `Z`."""
    return from_ms(milliseconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")
