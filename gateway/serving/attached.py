"""A gateway attached to the program that started it: it prints its address, and ends when that program ends."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading

import orjson


def attach(url: str) -> None:
    """Print this process's address on standard output, and end the process when standard input ends or receives data.

    A pipe ends with the program at its other end, however that ends. A signal needs a program that can still send it, and
    Windows has no signals.
    """
    sys.stdout.buffer.write(orjson.dumps({"url": url}, option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()
    threading.Thread(target=_end_with_input, name="attached", daemon=True).start()


def _end_with_input() -> None:
    with contextlib.suppress(OSError):  # it was closed
        os.read(0, 1)  # not through sys.stdin, whose lock would be held while the interpreter ends
    signal.raise_signal(signal.SIGTERM)
