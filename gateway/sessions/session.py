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
from soundstage.gateway.sessions.problems import ExpiredSession, ReadOnlySession

_NO_INODE = 0


def file_identity(path: str) -> tuple[str, int]:
    """Return a file's path and inode, which identify it if another file takes its path."""
    return path, _inode_of(path)


def _inode_of(path: str) -> int:
    """Return a file's inode, or 0 if it does not exist."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return _NO_INODE


@dataclass(frozen=True, slots=True)
class ContextSummary:
    """A context summary: its newest step, its clock, and the version of each app when it was created."""

    step: int
    clock: Clock
    versions: dict[str, str]

    @classmethod
    def of(cls, context: Context) -> ContextSummary:
        meta = context.read_meta()
        return cls(meta.step, meta.clock, read_versions(context.connection))


@dataclass(slots=True)
class Session:
    """A session that is open in this process."""

    record: SessionRecord
    open_context: Context | None = field(repr=False)
    """None before the first use and while the session is idle."""
    users: int = 0
    """The number of requests that use the session across an await; it is not closed meanwhile."""
    seats: dict[str, Seat] | None = field(default=None, repr=False)
    """The seats by handle; None until they are read from the registry."""
    last_used: float = field(default_factory=time.monotonic)
    """The time of the last use on the event loop's clock, in seconds."""
    has_direct_requests: bool = False
    """Whether an agent has sent a request to this gateway itself; see `soundstage.gateway.cluster.router`."""
    forwarded_in_a_row: int = 0
    """The number of requests that other gateways have forwarded since the last direct one."""
    damage: Damage = field(default_factory=Damage, repr=False)
    """This process's memory of damaged contexts."""
    file: tuple[str, int] | None = field(default=None, repr=False)
    """The path and inode of the context's file; None in memory."""
    _reservation: asyncio.Future[None] | None = field(default=None, repr=False)
    calls_left: int | None = None
    """The number of tool calls that the session's agent may still make; None without bounds."""
    last_request: float = 0.0
    """The time of the agent's last request in a session with bounds."""
    opener: Callable[[Session], None] | None = field(default=None, repr=False)
    """Opens `open_context` at the next use; None once the session is closed."""
    initial_summary: ContextSummary | None = field(default=None, repr=False)
    """The context's summary until the first use."""

    def __post_init__(self) -> None:
        context = self.open_context
        if context is not None and self.file is None and (name := context.file) is not None:
            self.file = file_identity(name)
        if self.record.bounds is not None:
            made = 0 if context is None else journal.number_of_calls(context)
            self.calls_left = max(0, self.record.bounds.max_calls - made)

    @property
    def context(self) -> Context:
        """Its context, opened if necessary.

        Raises:
            ContextError: it cannot be opened, or the session was closed meanwhile.
        """
        if self.open_context is None and self.opener is not None:
            self.opener(self)
        if self.open_context is None:
            raise ContextError("the session was closed in the meantime; send the request again")
        return self.open_context

    def summary(self) -> ContextSummary:
        """Return the current context summary. A context that was never used is not opened for it."""
        return ContextSummary.of(self.context) if self.initial_summary is None else self.initial_summary

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
    def has_original_file(self) -> bool:
        """Whether the context's file is still the one that was opened; it may have been deleted or replaced externally."""
        if self.file is None:
            return True
        path, number = self.file
        return _inode_of(path) == number != _NO_INODE

    def cause_of(self, error: Exception) -> ContextError | None:
        """Map an error raised while the session was used to its cause; see `Damage.cause_of`."""
        return self.damage.cause_of(error, self.id, self.open_context)

    def check_changeable(self) -> None:
        """Check that clients other than its agent may change the session.

        Raises:
            ReadOnlySession: they may not.
        """
        if self.record.bounds is not None:
            raise ReadOnlySession(self.id)

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
    async def exclusive(self) -> AsyncIterator[None]:
        """Reserve the context for the block, as work in a thread requires; calls wait."""
        await self.wait_until_free()
        over = self._reservation = asyncio.get_running_loop().create_future()
        try:
            with self.in_use():
                yield
        finally:
            self._reservation = None
            over.set_result(None)

    async def wait_until_free(self) -> None:
        """Wait until the context is not reserved."""
        while self._reservation is not None:
            await asyncio.shield(self._reservation)

    @property
    def is_reserved(self) -> bool:
        """Whether the context is reserved."""
        return self._reservation is not None

    def in_use(self) -> SessionUse:
        """Prevent the session from closing during a `with` block."""
        return SessionUse(self)


@dataclass(slots=True)
class SessionUse:
    """A block during which a session stays open."""

    session: Session

    def __enter__(self) -> None:
        self.session.users += 1

    def __exit__(self, *_: object) -> None:
        self.session.users -= 1
