"""A session: one isolated run, with its context and its address."""

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
    """A file's path, and what tells it from another that takes its name."""
    return path, _number_of(path)


def _number_of(path: str) -> int:
    """What tells a file from another that takes its name."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return _NO_FILE


@dataclass(frozen=True, slots=True)
class Told:
    """What a context says of itself: its newest step, its clock, and app → the version that answered when it was made."""

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

    `at_hand` is its context, None until somebody first uses it and while it rests; `opens` opens it then. Until it is first used
    `begun` is what it says of itself. `users` counts requests that hold on to the session across a pause: it is not closed under
    them. `last_used` is by the event loop's clock, in seconds. `seats` are its seats by handle, None until the registry has been
    asked. `came_directly` and `came_through` tell how agents reach it: see `soundstage.gateway.cluster.placed`. `damage` is where
    this process remembers what is wrong with contexts, `file` the context's file and its number on the disk, None for one in
    memory. `calls_left` is how many calls of apps' tools its agent still has, None without bounds; `last_asked` is when its agent
    last asked for anything, where it has.
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
        """Its context, opened if need be.

        Raises:
            ContextError: when it cannot be opened, or the session was closed meanwhile.
        """
        if self.at_hand is None and self.opens is not None:
            self.opens(self)
        if self.at_hand is None:
            raise ContextError("the session was closed in the meantime; send the request again")
        return self.at_hand

    def told(self) -> Told:
        """What its context says of itself now. One that nobody has used since it was made is not opened for that."""
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
        return self.damage.behind(error, self.id, self.at_hand)

    def check_changeable(self) -> None:
        """See that others than its agent may change the session.

        Raises:
            Bounded: they may not.
        """
        if self.record.bounds is not None:
            raise Bounded(self.id)

    def check_open(self) -> None:
        """See that its agent may go on.

        Raises:
            ExpiredSession: its time or its calls have been used up, or it has been ended.
        """
        bounds = self.record.bounds
        if bounds is None:
            return
        now = wall_ms()
        if bounds.over or now >= bounds.closes_ms or self.calls_left == 0:
            raise ExpiredSession(min(now, bounds.closes_ms))

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
