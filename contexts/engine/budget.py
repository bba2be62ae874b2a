"""The CPU time that one run of a kernel may use.

`start` and `stop` enclose a run. In between the budget is enforced in three ways:

* SQLite calls `statement_check` from its progress handler (see `watch_statements`);
* engines that enforce a time limit, such as QuickJS, receive the time that is `left`;
* Python code, loops and regular expressions alike, is interrupted by a timer signal if the process has called
  `interrupt_runs` (a serving gateway does). Long loops also call `check`, for threads and systems without such a signal.

The budget belongs to the thread that runs the kernel, and counts only that thread's CPU time, so a busy machine does not make a
call fail.
"""

from __future__ import annotations

import atexit
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import process_time, thread_time
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

CALL_CPU_S = 0.5
"""Seconds of CPU for one run of a kernel."""

REPLAY_CPU_S = 20 * CALL_CPU_S
"""Seconds for a run that a replay repeats: it stayed within `CALL_CPU_S` once, perhaps on a faster machine."""

TIMEOUT_S = 30
"""Seconds that the app's server reports to have waited when a run exceeds its budget. The session's clock moves by them."""


_TICK_S = 0.1
"""Seconds of the process's CPU between two looks at the budget by `interrupt_runs`."""

_STATEMENT_STEPS = 50_000
"""Instructions of SQLite's virtual machine between two looks at the budget: some milliseconds."""

_UNINTERRUPTED = ("soundstage.contexts.engine.pages", "importlib._bootstrap", "importlib._bootstrap_external")
"""Modules that finish what they do: SQLite would report an exception in its file layer as a damaged file, and a module must
not be imported in part."""


process_seconds = process_time
"""The clock of engines that limit themselves by the CPU time of the whole process, such as QuickJS."""


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
    """Raise `BudgetExceeded` if this thread's run has used up its budget."""
    if _running.until < inf and thread_time() > _running.until:
        raise BudgetExceeded("the call used more CPU time than a call may")


@contextmanager
def paused() -> Iterator[None]:
    """Exclude from the budget what is made once for the whole process, such as an index of the library."""
    until = _running.until
    _running.until = inf
    began = thread_time()
    try:
        yield
    finally:
        _running.until = until + (thread_time() - began)


def watch_statements(connection: apsw.Connection) -> None:
    """Stop a statement of this connection that runs beyond the budget."""
    connection.set_progress_handler(_statement_check, _STATEMENT_STEPS)


def _statement_check() -> bool:
    check()
    return False


def interrupt_runs() -> None:
    """Interrupt the main thread's runs when their budget is used up, whatever Python code they are in.

    Call this once, in the main thread of a process that serves. Systems without interval timers (Windows) do without.
    """
    if not hasattr(signal, "setitimer"):
        return
    signal.signal(signal.SIGPROF, _on_tick)
    signal.siginterrupt(signal.SIGPROF, False)
    signal.setitimer(signal.ITIMER_PROF, _TICK_S, _TICK_S)
    # While the interpreter ends it gives the signal back to the system, which would kill the process.
    atexit.register(signal.setitimer, signal.ITIMER_PROF, 0)


def _on_tick(number: int, frame: FrameType | None) -> None:
    if _running.until == inf or thread_time() <= _running.until:
        return
    while frame is not None:
        if frame.f_globals.get("__name__") in _UNINTERRUPTED:
            return  # the next tick comes soon
        frame = frame.f_back
    check()
