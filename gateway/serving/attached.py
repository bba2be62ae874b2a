"""A gateway that belongs to the program which started it: it says where it listens, and ends when that program does."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading

import orjson


def attach(url: str) -> None:
    """Say on standard output where this process listens, and have it end when standard input ends, or says anything.

    A pipe ends when the program at its other end does, however that came about; a signal is sent by one that is still
    able to, and Windows has none.
    """
    sys.stdout.buffer.write(orjson.dumps({"url": url}, option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()
    threading.Thread(target=_end_with_input, name="attached", daemon=True).start()


def _end_with_input() -> None:
    with contextlib.suppress(OSError):  # it was closed
        os.read(0, 1)  # not through sys.stdin, whose lock would be held while the interpreter ends
    signal.raise_signal(signal.SIGTERM)
