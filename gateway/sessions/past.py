"""A session as it was: a look back that changes nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

from soundstage.contexts.engine.keepers import MemoryKeeper
from soundstage.contexts.engine.store import Context

_copies = MemoryKeeper()
_numbers = itertools.count()


@contextmanager
def moment(now: Context, step: int | None) -> Iterator[Context]:
    """A context now, or for as long as the block runs a copy of it as it was after `step`.

    Raises:
        ContextError: for a step that never was.
    """
    if step is None:
        yield now
        return
    name = f"look {next(_numbers)}"
    try:
        yield _copies.fork(now, name, step=step)
    finally:
        _copies.delete(name)
