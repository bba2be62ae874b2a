"""Looks again and again at where a process is, by its CPU time, from within: `bench.profile` starts a gateway with it.

Looking begins with SIGUSR1 and ends with SIGUSR2, at which the stacks that were seen are written.
"""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

import orjson

_EVERY_S = 0.001  # or as often as the kernel's clock ticks


def start(file: Path) -> None:
    """Start sampling; the samples are written to a file: [[[module, …], count], …], outermost module first."""
    seen: Counter[tuple[CodeType, ...]] = Counter()
    modules: dict[CodeType, str] = {}

    def look(number: int, frame: FrameType | None) -> None:
        stack = []
        while frame is not None:
            code = frame.f_code
            stack.append(code)
            if code not in modules:
                modules[code] = str(frame.f_globals.get("__name__"))
            frame = frame.f_back
        seen[tuple(stack)] += 1

    def begin(number: int, frame: FrameType | None) -> None:
        seen.clear()
        signal.setitimer(signal.ITIMER_PROF, _EVERY_S, _EVERY_S)

    def end(number: int, frame: FrameType | None) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        stacks = [[[modules[code] for code in reversed(stack)], times] for stack, times in seen.items()]
        partial = file.with_suffix(".part")
        partial.write_bytes(orjson.dumps(stacks))
        partial.rename(file)

    signal.signal(signal.SIGPROF, look)
    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)
