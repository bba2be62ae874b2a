"""The CPU time that one run of a kernel may use.

`start` and `stop` enclose a run; whatever may take long in between calls `check`, or asks `left` for the limit to set on an
engine. The budget belongs to the thread that runs the kernel, and counts that thread's CPU time only, so a busy machine does
not make a call fail.
"""

from __future__ import annotations

import threading
from math import inf
from time import thread_time

CALL_CPU_S = 0.5
"""Seconds of CPU for one run of a kernel."""

REPLAY_CPU_S = 20 * CALL_CPU_S
"""Seconds for a run that a replay repeats: it stayed within `CALL_CPU_S` once, perhaps on a faster machine."""

TIMEOUT_S = 30
"""Seconds that the app's server reports to have waited when a run exceeds its budget. The session's clock moves by them."""


class BudgetExceeded(BaseException):
    """A run of a kernel has used up its budget.

    This is not an `Exception`, so that a kernel that handles errors cannot suppress it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Running(threading.local):
    """The run of a kernel in this thread: the thread's CPU time at which its budget ends."""

    until: float = inf


_running = _Running()


def start(seconds: float) -> None:
    """Start the budget of a run in this thread."""
    _running.until = thread_time() + seconds


def stop() -> None:
    """End the run's budget; from here on `check` never raises."""
    _running.until = inf


def left() -> float:
    """Return the seconds of CPU that the run may still use, at least 0; infinity where none is running."""
    until = _running.until
    return until if until == inf else max(0.0, until - thread_time())


def check() -> None:
    """Raise if this thread's run has used up its budget.

    Raises:
        BudgetExceeded: as the name says.
    """
    if _running.until < inf and thread_time() > _running.until:
        raise BudgetExceeded("the call used more CPU time than a call may")
