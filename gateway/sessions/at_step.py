"""Read-only access to a session's state at an earlier step."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.contexts.engine.store import Context

_copies = MemoryStorage()
_numbers = itertools.count()


@contextmanager
def at_step(now: Context, step: int | None) -> Iterator[Context]:
    """Yield the context itself, or, if `step` is given, a temporary copy of its state after that step.

    Raises:
        ContextError: the step does not exist.
    """
    if step is None:
        yield now
        return
    name = f"look {next(_numbers)}"
    try:
        yield _copies.fork(now, name, step=step)
    finally:
        _copies.delete(name)
