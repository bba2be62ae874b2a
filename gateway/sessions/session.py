"""A session: one isolated run, with its context and its address."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.store import Context
from soundstage.gateway.registry.records import Durability, Seat, SessionRecord
from soundstage.gateway.sessions.damage import Damage

_NO_FILE = 0


def _number_of(path: str) -> int:
    """What tells a file from another that takes its name."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return _NO_FILE


@dataclass(slots=True)
class Session:
    """A session that is open in this process.

    `users` counts requests that hold on to it across a pause: it is not closed under them. `last_used` is by the event loop's
    clock, in seconds. `seats` are its seats by handle, None until the registry has been asked. `came_directly` and `came_through`
    tell how agents reach it: see `soundstage.gateway.cluster.placed`. `damage` is where this process remembers what is wrong with
    contexts, `file` the context's file and its number on the disk, None for one in memory.
    """

    record: SessionRecord
    context: Context = field(repr=False)
    users: int = 0
    seats: dict[str, Seat] | None = field(default=None, repr=False)
    last_used: float = field(default_factory=time.monotonic)
    came_directly: bool = False
    came_through: int = 0
    damage: Damage = field(default_factory=Damage, repr=False)
    file: tuple[str, int] | None = field(default=None, repr=False)
    _occupied: asyncio.Future[None] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.file is None and (name := self.context.file) is not None:
            self.file = name, _number_of(name)

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def apps(self) -> tuple[str, ...]:
        return self.record.apps

    @property
    def durability(self) -> Durability:
        return self.record.durability

    def seat(self, handle: str) -> Seat | None:
        """The seat that this handle opens; None for the session's own."""
        return None if self.seats is None else self.seats.get(handle)

    @property
    def is_in_place(self) -> bool:
        """Whether the context's file is still the one that was opened: it may have been deleted or replaced from outside."""
        if self.file is None:
            return True
        path, number = self.file
        return _number_of(path) == number != _NO_FILE

    def problem(self, error: Exception) -> ContextError | None:
        """What an error that was raised while the session was used means to whoever asked; see `Damage.behind`."""
        return self.damage.behind(error, self.id, self.context)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Have the context to oneself for as long as the block runs, as a thread must; calls wait."""
        await self.free()
        over = self._occupied = asyncio.get_running_loop().create_future()
        try:
            with self.in_use():
                yield
        finally:
            self._occupied = None
            over.set_result(None)

    async def free(self) -> None:
        """Wait while somebody has the context alone."""
        while self._occupied is not None:
            await asyncio.shield(self._occupied)

    @property
    def is_occupied(self) -> bool:
        """Whether somebody has the context alone."""
        return self._occupied is not None

    def in_use(self) -> InUse:
        """Keep the session open for as long as a `with` block runs."""
        return InUse(self)


@dataclass(slots=True)
class InUse:
    """A block in which a session is kept open."""

    session: Session

    def __enter__(self) -> None:
        self.session.users += 1

    def __exit__(self, *_: object) -> None:
        self.session.users -= 1
