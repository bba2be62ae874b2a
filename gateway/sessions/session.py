"""A session: one isolated environment, with its context and its address."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import Clock, wall_ms
from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.store import Context, read_versions
from soundstage.gateway.registry.records import Durability, Seat, SessionRecord
from soundstage.gateway.sessions.damage import Damage
from soundstage.gateway.sessions.problems import Bounded, ExpiredSession

_NO_FILE = 0


def place_of(path: str) -> tuple[str, int]:
    """Return a file's path and inode, which identify it if another file takes its path."""
    return path, _number_of(path)


def _number_of(path: str) -> int:
    """Return a file's inode, or 0 if it does not exist."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return _NO_FILE


@dataclass(frozen=True, slots=True)
class Told:
    """A context summary: its newest step, its clock, and the version of each app when it was created."""

    step: int
    clock: Clock
    versions: dict[str, str]

    @classmethod
    def by(cls, context: Context) -> Told:
        meta = context.read_meta()
        return cls(meta.step, meta.clock, read_versions(context.connection))


@dataclass(slots=True)
class Session:
    """A session that is open in this process.

    `at_hand` is its open context, None before the first use and while it is idle; `opens` opens it then. `begun` is its summary
    until the first use. `users` counts requests that use the session across an await; it is not closed meanwhile. `last_used`
    is on the event loop's clock, in seconds. `seats` are its seats by handle, None until they are read from the registry.
    `came_directly` and `came_through` record how agents reach it: see `soundstage.gateway.cluster.placed`. `damage` is this
    process's memory of damaged contexts. `file` is the context's path and inode, None in memory. `calls_left` is the number of
    tool calls that its agent may still make, None without bounds. `last_asked` is the time of the agent's last request in a
    bounded session.
    """

    record: SessionRecord
    at_hand: Context | None = field(repr=False)
    users: int = 0
    seats: dict[str, Seat] | None = field(default=None, repr=False)
    last_used: float = field(default_factory=time.monotonic)
    came_directly: bool = False
    came_through: int = 0
    damage: Damage = field(default_factory=Damage, repr=False)
    file: tuple[str, int] | None = field(default=None, repr=False)
    _occupied: asyncio.Future[None] | None = field(default=None, repr=False)
    calls_left: int | None = None
    last_asked: float = 0.0
    opens: Callable[[Session], None] | None = field(default=None, repr=False)
    begun: Told | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        context = self.at_hand
        if context is not None and self.file is None and (name := context.file) is not None:
            self.file = place_of(name)
        if self.record.bounds is not None:
            made = 0 if context is None else journal.number_of_calls(context)
            self.calls_left = max(0, self.record.bounds.max_calls - made)

    @property
    def context(self) -> Context:
        """Its context, opened if necessary.

        Raises:
            ContextError: it cannot be opened, or the session was closed meanwhile.
        """
        if self.at_hand is None and self.opens is not None:
            self.opens(self)
        if self.at_hand is None:
            raise ContextError("the session was closed in the meantime; send the request again")
        return self.at_hand

    def told(self) -> Told:
        """Return the current context summary. A context that was never used is not opened for it."""
        return Told.by(self.context) if self.begun is None else self.begun

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
        """Return the seat of this handle, or None for the session's own handle."""
        return None if self.seats is None else self.seats.get(handle)

    @property
    def is_in_place(self) -> bool:
        """Whether the context's file is still the one that was opened; it may have been deleted or replaced externally."""
        if self.file is None:
            return True
        path, number = self.file
        return _number_of(path) == number != _NO_FILE

    def problem(self, error: Exception) -> ContextError | None:
        """Map an error raised while the session was used to its cause; see `Damage.behind`."""
        return self.damage.behind(error, self.id, self.at_hand)

    def check_changeable(self) -> None:
        """Check that clients other than its agent may change the session.

        Raises:
            Bounded: they may not.
        """
        if self.record.bounds is not None:
            raise Bounded(self.id)

    def check_open(self) -> None:
        """Check that its agent may continue.

        Raises:
            ExpiredSession: its time or calls are used up, or it has been closed.
        """
        bounds = self.record.bounds
        if bounds is None:
            return
        now = wall_ms()
        if bounds.over or now >= bounds.closes_ms or self.calls_left == 0:
            raise ExpiredSession(min(now, bounds.closes_ms))

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Reserve the context for the block, as work in a thread requires; calls wait."""
        await self.free()
        over = self._occupied = asyncio.get_running_loop().create_future()
        try:
            with self.in_use():
                yield
        finally:
            self._occupied = None
            over.set_result(None)

    async def free(self) -> None:
        """Wait until the context is not reserved."""
        while self._occupied is not None:
            await asyncio.shield(self._occupied)

    @property
    def is_occupied(self) -> bool:
        """Whether the context is reserved."""
        return self._occupied is not None

    def in_use(self) -> InUse:
        """Prevent the session from closing during a `with` block."""
        return InUse(self)


@dataclass(slots=True)
class InUse:
    """A block during which a session stays open."""

    session: Session

    def __enter__(self) -> None:
        self.session.users += 1

    def __exit__(self, *_: object) -> None:
        self.session.users -= 1
