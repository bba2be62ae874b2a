"""A session: one isolated run, with its context and its address."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import wall_ms
from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.store import Context
from soundstage.gateway.registry.records import Durability, Seat, SessionRecord
from soundstage.gateway.sessions.damage import Damage
from soundstage.gateway.sessions.problems import Bounded, ExpiredSession

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
    contexts, `file` the context's file and its number on the disk, None for one in memory. `calls_left` is how many calls of
    apps' tools its agent still has, None without bounds; `last_asked` is when its agent last asked for anything, where it has.
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
    calls_left: int | None = None
    last_asked: float = 0.0

    def __post_init__(self) -> None:
        if self.file is None and (name := self.context.connection.filename):
            self.file = name, _number_of(name)
        if self.record.bounds is not None:
            made = journal.number_of_calls(self.context)
            self.calls_left = max(0, self.record.bounds.max_calls - made)

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

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the session open for as long as the block runs."""
        self.users += 1
        try:
            yield
        finally:
            self.users -= 1
