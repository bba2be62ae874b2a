"""A session: one isolated run, with its context and its address."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from contexts.engine.clock import Clock
from contexts.engine.store import Context
from gateway.settings import ToolList

Durability = Literal["durable", "memory"]


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """What stays the same about a session from its making to its end.

    `handle` is the capability an agent holds: no log or metric shows it, they name `id`. `seed` and `clock` are those
    it started with. `upstreams` None means all that there are at any time. Times are milliseconds since 1970 by the wall
    clock.
    """

    id: str
    handle: str = field(repr=False)
    name: str | None
    world: str
    apps: tuple[str, ...]
    seed: int
    clock: Clock
    created_ms: int
    expires_ms: int | None
    tools: ToolList = "all"
    upstreams: tuple[str, ...] | None = None


@dataclass(slots=True)
class Session:
    """A session that is open in this process."""

    record: SessionRecord
    durability: Durability
    context: Context = field(repr=False)

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def apps(self) -> tuple[str, ...]:
        return self.record.apps
