"""Contexts that are made before anybody asks for them, so that making a session is to take one.

They are made between requests, so many of each kind that is asked for, and go with the process: durable ones are announced like
sessions that are being made, and what a killed process leaves of them is cleared away likewise.
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
from soundstage.gateway.sessions.pending import Pending
from soundstage.worlds import World

_KINDS = 8
"""Of so many kinds contexts are kept; beyond that, those of the kind longest not asked for go."""
_CALM_S = 0.02
"""For so long nobody must have taken one before others are made: while they are taken one after another it would help nobody."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a ready context can be taken for. `database` is the built world's file, which tells one version of it from another."""

    world: World
    database: Path
    apps: tuple[str, ...]
    durability: Durability


@dataclass(frozen=True, slots=True)
class Made:
    """A context as its world has it, under the id of the session that it will be. `announced` holds its announcement."""

    id: str
    context: Context
    announced: ExitStack


class Ready:
    """So many (`most`) contexts of each kind, made by `make` and removed by `remove` (closed first)."""

    def __init__(
        self,
        most: int,
        *,
        make: Callable[[str, Kind], Awaitable[Context]],
        remove: Callable[[str, Kind], None],
        new_id: Callable[[], str],
        pending: Pending,
    ) -> None:
        self._most = most
        self._make = make
        self._remove = remove
        self._new_id = new_id
        self._pending = pending
        self._kinds: OrderedDict[Kind, deque[Made]] = OrderedDict()  # the longest not asked for first
        self._taken_at = 0.0
        self._filling: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return sum(map(len, self._kinds.values()))

    def take(self, kind: Kind) -> Made | None:
        """One of this kind; None where none is ready. From now on the kind is kept ready."""
        if not self._most:
            return None
        self._taken_at = time.monotonic()
        made = self._kinds.setdefault(kind, deque())
        self._kinds.move_to_end(kind)
        while len(self._kinds) > _KINDS:
            self._drop(*self._kinds.popitem(last=False))
        if self._filling is None or self._filling.done():
            self._filling = asyncio.create_task(self._fill())
        return made.popleft() if made else None

    def put_back(self, kind: Kind, made: Made) -> None:
        """Remove one that was taken and could not be used."""
        self._drop(kind, deque([made]))

    async def close(self) -> None:
        """Remove all of them."""
        if self._filling is not None:
            self._filling.cancel()
            await asyncio.gather(self._filling, return_exceptions=True)
        while self._kinds:
            self._drop(*self._kinds.popitem())

    async def _fill(self) -> None:
        while (kind := next((k for k, made in self._kinds.items() if len(made) < self._most), None)) is not None:
            if (calm := time.monotonic() - self._taken_at) < _CALM_S:
                await asyncio.sleep(_CALM_S - calm)
                continue
            try:
                made = await self._one(kind)
            except (ContextError, OSError, ValueError) as error:  # the next session of this kind is told
                log.warning("no contexts are kept ready", world=kind.world.name, reason=str(error))
                self._drop(kind, self._kinds.pop(kind, deque()))
                continue
            if kind in self._kinds:
                self._kinds[kind].append(made)
            else:
                self.put_back(kind, made)
            await asyncio.sleep(0)

    async def _one(self, kind: Kind) -> Made:
        name = self._new_id()
        with ExitStack() as stack:
            if kind.durability == "durable":
                announced = stack.enter_context(self._pending.announced([name]))
                stack.callback(announced.settle)
            try:
                context = await self._make(name, kind)
            except BaseException:
                self._remove(name, kind)
                raise
            return Made(name, context, stack.pop_all())

    def _drop(self, kind: Kind, of_it: deque[Made]) -> None:
        for made in of_it:
            made.context.close()
            self._remove(made.id, kind)
            made.announced.close()
