"""Forward jumps of the system clock: deadlines in the registry are wall times, and a jump must not end what is alive.

Durations within a process are measured by the monotonic clock. Deadlines that several processes share, or that outlive a
process, are stored as wall times. A `JumpDetector` compares both clocks between two rounds of a gateway's work.
"""

from __future__ import annotations

import time
from collections.abc import Callable

TOLERANCE_S = 5.0
"""A difference up to this is clock adjustment or a slow round, and no jump."""


def _steady_s() -> float:
    """Return a clock that nobody sets. On Linux it continues while the machine is suspended, as the wall clock does."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


class JumpDetector:
    """Detects that the system clock was set forwards since the last call of `jump_s`."""

    def __init__(self, wall_s: Callable[[], float] = time.time, steady_s: Callable[[], float] = _steady_s) -> None:
        self._wall_s = wall_s
        self._steady_s = steady_s
        self._offset_s = wall_s() - steady_s()

    def jump_s(self) -> float:
        """Return by how many seconds the clock was set forwards since the last call; 0 if it was not."""
        offset_s = self._wall_s() - self._steady_s()
        jump_s, self._offset_s = offset_s - self._offset_s, offset_s
        return jump_s if jump_s > TOLERANCE_S else 0.0
