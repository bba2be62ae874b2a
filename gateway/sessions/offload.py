"""Run long work on one session's context in a thread, so that the event loop can serve other sessions.

This is for work inside SQLite, such as copying and restoring, during which SQLite releases the interpreter lock. Long work in
Python belongs in a reader process (`soundstage.gateway.reading`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from typing_extensions import TypeVarTuple, Unpack

from soundstage.contexts.engine.store import Context

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_STEPS_AT_ONCE = 500
_BYTES_AT_ONCE = 8 * 1024**2


def is_short_work(context: Context, *, steps: int = 0, objects: bool = False) -> bool:
    """Whether work on `steps` journal steps, and on all objects if `objects`, is short enough for the event loop.

    Such work takes 10 to 40 ms at most. A world with all apps is half as large as the limit.
    """
    return steps <= _STEPS_AT_ONCE and (not objects or context.size <= _BYTES_AT_ONCE)


async def in_thread(work: Callable[[Unpack[Ts]], T], *arguments: *Ts) -> T:
    """Call a function in a thread. A cancelled caller still waits for it, because the thread uses the arguments."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        with suppress(Exception):
            await running
        raise
