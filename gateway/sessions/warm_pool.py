"""Contexts that are prepared in advance, so that creating a session is fast.

They are created between requests, up to a limit for each kind that is in demand, and end with the process. Durable ones are
announced like sessions that are being created, so what a killed process leaves of them is removed in the same way.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.store import Context
from soundstage.gateway.log import log
from soundstage.gateway.registry.records import Durability
from soundstage.gateway.sessions.pending import PendingFiles
from soundstage.worlds import World

_MAX_KINDS = 8
"""Number of kinds with ready contexts. Beyond it, the contexts of the least recently requested kind are removed."""
_QUIET_S = 0.02
"""Seconds without a request before the pool refills; refilling during a burst does not help."""


@dataclass(frozen=True, slots=True)
class ContextKind:
    """The properties that a ready context shares with its session. `database` is the built world's file, which identifies its
    version.
    """

    world: World
    database: Path
    apps: tuple[str, ...]
    durability: Durability


@dataclass(frozen=True, slots=True)
class WarmContext:
    """A context in its world's initial state, under the id of its future session. `announced` holds its announcement."""

    id: str
    context: Context
    announced: ExitStack


class WarmPool:
    """A pool of up to `most` contexts of each kind, created by `make` and, after closing, removed by `remove`."""

    def __init__(
        self,
        most: int,
        *,
        make: Callable[[str, ContextKind], Awaitable[Context]],
        remove: Callable[[str, ContextKind], None],
        new_id: Callable[[], str],
        pending: PendingFiles,
    ) -> None:
        self._max_per_kind = most
        self._make = make
        self._remove = remove
        self._new_id = new_id
        self._pending = pending
        self._kinds: OrderedDict[ContextKind, deque[WarmContext]] = OrderedDict()  # least recently requested first
        self._last_request = 0.0
        self._filling: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return sum(map(len, self._kinds.values()))

    def take(self, kind: ContextKind) -> WarmContext | None:
        """Return a context of this kind, or None if none is ready. From now on the pool prepares this kind."""
        if not self._max_per_kind:
            return None
        self._last_request = time.monotonic()
        made = self._kinds.setdefault(kind, deque())
        self._kinds.move_to_end(kind)
        while len(self._kinds) > _MAX_KINDS:
            self._discard_all(*self._kinds.popitem(last=False))
        if self._filling is None or self._filling.done():
            self._filling = asyncio.create_task(self._fill())
        return made.popleft() if made else None

    def discard(self, kind: ContextKind, made: WarmContext) -> None:
        """Remove a context that was taken and could not be used."""
        self._discard_all(kind, deque([made]))

    async def close(self) -> None:
        """Remove all ready contexts."""
        if self._filling is not None:
            self._filling.cancel()
            await asyncio.gather(self._filling, return_exceptions=True)
        while self._kinds:
            self._discard_all(*self._kinds.popitem())

    async def _fill(self) -> None:
        while (
            kind := next((k for k, made in self._kinds.items() if len(made) < self._max_per_kind), None)
        ) is not None:
            if (calm := time.monotonic() - self._last_request) < _QUIET_S:
                await asyncio.sleep(_QUIET_S - calm)
                continue
            try:
                made = await self._prepare(kind)
            except (ContextError, OSError, ValueError) as error:  # the next request for this kind reports the error
                log.warning("no contexts can be prepared", world=kind.world.name, reason=str(error))
                self._discard_all(kind, self._kinds.pop(kind, deque()))
                continue
            if kind in self._kinds:
                self._kinds[kind].append(made)
            else:
                self.discard(kind, made)
            await asyncio.sleep(0)

    async def _prepare(self, kind: ContextKind) -> WarmContext:
        name = self._new_id()
        with ExitStack() as stack:
            if kind.durability == "durable":
                announced = stack.enter_context(self._pending.announce([name]))
                stack.callback(announced.settle)
            try:
                context = await self._make(name, kind)
            except BaseException:
                self._remove(name, kind)
                raise
            return WarmContext(name, context, stack.pop_all())

    def _discard_all(self, kind: ContextKind, of_it: deque[WarmContext]) -> None:
        for made in of_it:
            made.context.close()
            self._remove(made.id, kind)
            made.announced.close()
