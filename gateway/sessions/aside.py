"""What takes long with one session's context, done aside: in a thread, while the event loop serves the others.

That is for work which SQLite does, such as copying and putting back, during which other threads have their turn. What Python
does for long is a reader's (`soundstage.gateway.reading`).
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


def is_soon_done(context: Context, *, steps: int = 0, objects: bool = False) -> bool:
    """Whether work that goes over so many steps of the journal, and perhaps over all objects, keeps nobody waiting if the event
    loop does it: it takes some ten to forty milliseconds at most, and a world with all apps is half as large.
    """
    return steps <= _STEPS_AT_ONCE and (not objects or context.size <= _BYTES_AT_ONCE)


async def in_thread(work: Callable[[Unpack[Ts]], T], *arguments: *Ts) -> T:
    """What a function gives, called in a thread. Whoever is cancelled waits for it, too: until then it uses what it was given."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        with suppress(Exception):
            await running
        raise
