"""Work on a database that is not to take for ever."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

_AGAIN_S = 0.05


@contextmanager
def interrupted_after(connection: apsw.Connection, seconds: float) -> Iterator[None]:
    """Interrupt what the block asks of SQLite when it has taken so long, and whatever it asks then.

    Raises (in the block):
        apsw.InterruptError
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
