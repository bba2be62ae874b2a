"""Time limits for work on a database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

_AGAIN_S = 0.05


@contextmanager
def interrupted_after(connection: apsw.Connection, seconds: float) -> Iterator[None]:
    """Interrupt SQLite calls of the block after `seconds`, including later ones.

    Raises:
        apsw.InterruptError: in the block, after the time limit.
    """
    left = threading.Event()

    def watch() -> None:
        over = left.wait(seconds)
        while not over:
            connection.interrupt()
            over = left.wait(_AGAIN_S)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        left.set()
        watcher.join()
