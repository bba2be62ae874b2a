"""A session: one isolated run, with its context and its address."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from soundstage.contexts.engine.store import Context
from soundstage.gateway.registry.records import Durability, SessionRecord


@dataclass(slots=True)
class Session:
    """A session that is open in this process.

    `users` counts requests that hold on to it across a pause: it is not closed under them. `last_used` is by the event loop's
    clock, in seconds. `came_directly` and `came_through` tell how agents reach it: see `soundstage.gateway.cluster.placed`.
    """

    record: SessionRecord
    context: Context = field(repr=False)
    users: int = 0
    last_used: float = field(default_factory=time.monotonic)
    came_directly: bool = False
    came_through: int = 0

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def apps(self) -> tuple[str, ...]:
        return self.record.apps

    @property
    def durability(self) -> Durability:
        return self.record.durability

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the session open for as long as the block runs."""
        self.users += 1
        try:
            yield
        finally:
            self.users -= 1
