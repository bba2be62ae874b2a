"""A session: one isolated run, with its context and its address."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from contexts.engine.store import Context

Durability = Literal["durable", "memory"]
HANDLE_SHOWN = 6


@dataclass(slots=True)
class Session:
    """A session that is open in this process.

    `handle` is the capability an agent holds; logs and errors show `short_handle` only. Times are milliseconds since
    1970 by the wall clock.
    """

    id: str
    handle: str
    name: str | None
    world: str
    apps: tuple[str, ...]
    seed: int
    durability: Durability
    created_ms: int
    expires_ms: int | None
    context: Context = field(repr=False)

    @property
    def short_handle(self) -> str:
        return shorten(self.handle)


def shorten(handle: str) -> str:
    """A handle as logs may show it."""
    return f"{handle[:HANDLE_SHOWN]}…"
