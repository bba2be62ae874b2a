"""Kernels that were generated run against a clock: one that does not come to its end is stopped, and after three such calls its
tool is not available any more until the process starts anew.

The alarm is the process's own (`setitimer`), so it reaches the main thread alone, where calls are answered; it interrupts loops
and regular expressions alike.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply

SECONDS = 1.0
"""How long a generated kernel may take; the tools of real apps take well under a thousandth of it."""
_AGAIN = 0.05
"""After so many seconds the alarm rings again: a kernel may still be busy in its `finally`."""
STRIKES = 3


class TooLong(RuntimeError):
    """A generated kernel did not come to its end in time."""


class _Alarm(BaseException):
    """What rings inside a kernel: no `except Exception` of its own holds it up."""


class Unguarded(RuntimeError):
    """Here nothing could stop a generated kernel, so it is not started."""


def guarded(run: Callable[[AppContext, Arguments], Reply], shown: str) -> Callable[[AppContext, Arguments], Reply]:
    """A kernel that is stopped after `SECONDS`.

    It raises:
        TooLong: when it was stopped.
        Unguarded: in another thread than the main one, and where the system has no such alarm.
        AppError: kind `unavailable`, after it was stopped `STRIKES` times.
    """
    stopped = 0
    running = False

    def ring(number: int, frame: FrameType | None) -> None:
        if running:
            raise _Alarm

    def guard(context: AppContext, arguments: Arguments) -> Reply:
        nonlocal stopped, running
        if stopped >= STRIKES:
            raise AppError("unavailable", f"{shown} is suspended: it was stopped {STRIKES} times")
        if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
            raise Unguarded(f"{shown} was generated, and runs only where it can be stopped: in a process's main thread")
        before: Any = signal.signal(signal.SIGALRM, ring)
        running = True
        try:
            signal.setitimer(signal.ITIMER_REAL, SECONDS, _AGAIN)
            return run(context, arguments)
        except _Alarm:
            running = False
            stopped += 1
            raise TooLong(f"{shown} was stopped: it took more than {SECONDS:g} s") from None
        finally:
            running = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    return guard
