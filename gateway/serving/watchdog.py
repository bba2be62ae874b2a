"""Ends a gateway whose event loop is blocked, with the stacks of its threads on standard error.

The budget of a call (`contexts/engine/budget.py`) ends long-running work. The watchdog covers cases that the budget cannot
reach, such as a loop in a C library that never returns to Python. So it needs neither Python nor the GIL: the operating
system counts the process's CPU time and sends SIGVTALRM, `faulthandler` writes the stacks, and the signal then ends the
process. The event loop sets the timer back once a second. A process that is stopped or waits uses no CPU time, so it is not
ended.

A supervisor starts another worker in its place. All answered calls are committed, so durable sessions lose nothing.
"""

from __future__ import annotations

import asyncio
import faulthandler
import signal
import threading

WORKER_S = 5.0
"""Seconds of CPU after which a worker with a blocked event loop ends; its supervisor starts another."""

ALONE_S = 8.0
"""The same for a gateway without a supervisor. It is what bounds the time that SIGTERM may take."""

_BEAT_S = 1.0


class Watchdog:
    """Watches the event loop in which it is started."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._next: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start watching. Systems without interval timers (Windows) and loops outside of the main thread are not watched."""
        if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
            return
        faulthandler.register(signal.SIGVTALRM, all_threads=True, chain=True)
        self._beat()

    def stop(self) -> None:
        """Stop watching."""
        if self._next is not None:
            self._next.cancel()
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _beat(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, self._limit_s)
        self._next = asyncio.get_running_loop().call_later(_BEAT_S, self._beat)
