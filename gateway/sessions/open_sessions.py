"""The sessions that this process has open, and the leases under which it may write them."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

import apsw

from soundstage.contexts.engine.clock import wall_ms
from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.storage import DurableStorage, MemoryStorage
from soundstage.contexts.engine.store import Context
from soundstage.gateway import metrics
from soundstage.gateway.log import log
from soundstage.gateway.registry.leases import Lease, Peer
from soundstage.gateway.registry.member import Member
from soundstage.gateway.registry.records import Durability, Seat, SessionRecord
from soundstage.gateway.sessions.damage import Damage
from soundstage.gateway.sessions.memory import release_memory
from soundstage.gateway.sessions.offload import in_thread
from soundstage.gateway.sessions.problems import ExpiredSession, OwnedElsewhere, UnknownSession
from soundstage.gateway.sessions.session import ContextSummary, Session, file_identity

FIRST_FENCE = 1
"""The fence of the gateway that creates a session."""
MAX_CONNECTED_IN_MEMORY = 1200
"""The number of in-memory contexts with an open connection.

A connection's statements and SQLite's page cache are two thirds of a context's memory. Reopening one takes a third of a
millisecond.
"""
_RELEASE_EVERY = 64
"""After closing this many contexts, their memory is returned to the system, which takes a few milliseconds."""


class OpenSessions:
    """Opens and closes contexts. A gateway (`member`) opens a durable context only under its lease.

    A guest (without `member`: `soundstage stdio`, replays) takes no lease. SQLite's transactions isolate it from a gateway on
    the same machine.
    """

    def __init__(self, durable: DurableStorage, memory: MemoryStorage, member: Member | None, *, max_open: int) -> None:
        self._durable = durable
        self._memory = memory
        self._member = member
        self._max_open = max_open
        self._by_handle: dict[str, Session] = {}  # by handle
        # By handle: sessions whose context is connected, or new and not yet opened, least recently used first.
        self._connected: dict[Durability, OrderedDict[str, Session]] = {
            "durable": OrderedDict(),
            "memory": OrderedDict(),
        }
        self._max_connected: dict[Durability, int] = {"durable": max_open, "memory": MAX_CONNECTED_IN_MEMORY}
        self._by_name: dict[str, Session] = {}  # by name
        self._by_seat: dict[str, Session] = {}  # by a seat's handle
        self._in_memory: dict[str, Session] = {}  # by id
        self.damage = Damage()
        self._failed: set[str] = set()  # sessions whose contexts could not be opened
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._ended_owners: dict[str, str] = {}  # session id to the id of its owner, which does not run any more

    def __len__(self) -> int:
        return sum(session.open_context is not None for awake in self._connected.values() for session in awake.values())

    # -- finding and opening ----------------------------------------------------------------------------------------

    def live(self, handle: str, *, or_name: bool = False) -> Session | None:
        """Return the session of a handle or seat handle (or of this name) if it is open here. Every call tries this first.

        Raises:
            ExpiredSession: its time to live is over.
        """
        session = self._by_handle.get(handle) or self._by_seat.get(handle)
        if session is None and or_name:
            session = self._by_name.get(handle)
        if session is not None and not session.has_original_file:
            self.close(session)  # reopening finds the replaced file or reports that it is missing
            self.damage.forget(session.id)
            return None
        if session is not None:
            _check_expiry(session.record)
            if session.open_context is None and session.durability == "durable":
                return None  # a new session, which `open` opens
            self._connect(session)
            session.last_used = time.monotonic()
        return session

    def unused(self, handle: str) -> SessionRecord | None:
        """Return the durable session of a handle if it was created here and has never been used."""
        session = self._by_handle.get(handle) or self._by_seat.get(handle)
        return None if session is None or session.open_context is not None else session.record

    def cause_of(self, error: Exception, session_id: str) -> ContextError | None:
        """Map an error raised while this session (id or name) was used to its cause; see `Damage.cause_of`."""
        session = next((s for s in self._by_handle.values() if session_id in (s.id, s.record.name)), None)
        return None if session is None else session.cause_of(error)

    def known_problem(self, record: SessionRecord) -> str | None:
        """Return why a session's context cannot be used, from known damage or the header of its file."""
        if record.durability == "memory" or (self._member and record.volume not in (None, self._member.own.volume)):
            return None
        return self.damage.of(record.id) or self._durable.file_damage(record.id)

    def in_memory(self, session_id: str) -> Session | None:
        """Return the session in this process's memory that has this id or name."""
        session = self._in_memory.get(session_id) or self._by_name.get(session_id)
        return session if session is not None and session.durability == "memory" else None

    def get(self, record: SessionRecord) -> Session | None:
        """Return the session if it is open here, even if it has expired."""
        return self._by_handle.get(record.handle)

    async def open(self, record: SessionRecord) -> Session:
        """Return the session; open it under its lease if it is not open yet.

        Raises:
            ExpiredSession: its time to live is over.
            OwnedElsewhere: another gateway has it.
            UnknownSession: it was deleted meanwhile, or was in the memory of a gateway that ended.
            ContextError: its context cannot be opened.
        """
        _check_expiry(record)
        async with self.lock_of(record.id):
            if (session := self.live(record.handle) or await self._open_new(record)) is not None:
                return session
            fence = await self.claim(record)
            try:
                context = self._durable.open(record.id)
                try:
                    if fence is not None:
                        context.claim(fence)
                except BaseException:
                    context.close()
                    raise
            except ContextError as error:
                self.damage.record(record.id, error)
                self._failed.add(record.id)
                raise
            if record.id in self._failed:
                self._failed.remove(record.id)
                self.damage.forget(record.id)
            return self.adopt(record, context)

    def lock_of(self, session_id: str) -> asyncio.Lock:
        """Return the lock for creating and opening a session: two requests must not open it twice."""
        lock = self._locks.get(session_id)
        if lock is None:
            lock = self._locks[session_id] = asyncio.Lock()
        return lock

    async def claim(self, record: SessionRecord) -> int | None:
        """Take a durable session's lease and return its fence; None for a guest.

        Raises:
            OwnedElsewhere, UnknownSession, ContextError: see `open`.
        """
        if record.durability == "memory":
            raise await self._missing_from_memory(record)
        member = self._member
        if member is None:
            return None
        if record.volume not in (None, member.own.volume):
            raise await self._on_another_disk(record)
        gone = self._ended_owners.pop(record.id, None)
        lease = await member.leases.take(record.id, though=gone)
        if isinstance(lease, Peer) and lease.url is not None and lease.url == member.own.url:
            gone, lease = lease.id, None  # this gateway listens where the owner did, so the owner has ended
        if lease is None:
            lease = await member.leases.take(record.id, though=gone)
        if isinstance(lease, Peer):
            raise OwnedElsewhere(record, lease)
        if lease is None:
            raise _deleted_error(record)
        metrics.LEASES_TAKEN.labels(_reason(lease, gone)).inc()
        return lease.fence

    def adopt(self, record: SessionRecord, made: Context | ContextSummary) -> Session:
        """Register a context with this process: an open one, or a summary of a new one that is opened at its first use.

        An open context may displace the least recently used one.
        """
        if isinstance(made, Context):
            session = Session(record, made, damage=self.damage)
        else:
            file = None if record.durability == "memory" else file_identity(self._durable.file_of(record.id))
            session = Session(record, None, damage=self.damage, file=file, initial_summary=made)
        session.opener = self._connect
        if record.durability == "memory":
            self._in_memory[session.id] = session
        self._by_handle[record.handle] = session
        if record.name is not None:
            self._by_name[record.name] = session
        if session.open_context is not None or record.durability == "durable":
            self._touch(session)
        return session

    def add_seats(self, session: Session, seats: Iterable[Seat]) -> None:
        """Register seats of a session, and resolve their handles while the session is open here."""
        known = session.seats = session.seats or {}
        for seat in seats:
            known[seat.handle] = seat
            if self._by_handle.get(session.record.handle) is session:
                self._by_seat[seat.handle] = session

    async def reacquire(self, session: Session) -> Session:
        """Return the session after a pause; reopen it if it was closed meanwhile.

        Raises:
            UnknownSession: it was deleted.
            OwnedElsewhere: another gateway has taken it over.
            ExpiredSession, ContextError: see `open`.
        """
        if self._by_handle.get(session.record.handle) is session:
            self._connect(session)
            return session
        if session.durability == "memory":
            raise _deleted_error(session.record)
        return await self.open(session.record)

    @contextmanager
    def open_read_only(self, record: SessionRecord) -> Iterator[Context]:
        """Open the session's context read-only, whichever gateway owns it.

        Raises:
            ContextError: it is on another disk, in another process's memory, missing or damaged.
        """
        if (session := self._by_handle.get(record.handle)) is not None:
            self._connect(session)
            yield session.context
            return
        if record.durability == "memory" or (self._member and record.volume not in (None, self._member.own.volume)):
            raise ContextError("it is on another gateway")
        context = self._durable.open_read_only(record.id)
        try:
            yield context
        finally:
            context.close()

    def all(self) -> list[Session]:
        """Return the sessions that this process has open."""
        return list(self._by_handle.values())

    # -- closing and releasing ------------------------------------------------------------------------------------

    def close(self, session: Session) -> None:
        """Close a context. The lease of a durable one stays; an in-memory one reopens at its next use."""
        context = session.open_context
        if session.durability == "memory":
            session.open_context = None
            if context is not None:
                self._memory.close(session.id, context)
            self._connected["memory"].pop(session.record.handle, None)
            return
        self._unregister(session)
        if context is not None:
            self._durable.close(session.id, context)

    def close_taken(self, context: object) -> None:
        """Close the session of a context that another gateway has taken over."""
        for session in [s for s in self._by_handle.values() if s.open_context is context]:
            self.close(session)
            metrics.FENCED.inc()

    async def close_idle(self, idle_s: float) -> int:
        """Close contexts that have been unused for `idle_s` seconds. Returns how many.

        Closing a durable context takes some milliseconds, because its WAL is checkpointed; calls are served in between. An
        in-memory context preserves its written pages and frees its statements and SQLite's page cache.
        """
        limit = time.monotonic() - idle_s
        closed = 0
        for session in [s for awake in self._connected.values() for s in awake.values() if s.last_used < limit]:
            if session.users or session.last_used >= limit or not self._is_connected(session):
                continue  # it has been called or closed since
            if session.open_context is not None and session.durability == "durable":
                metrics.CONTEXTS_CLOSED.labels("idle").inc()
            self.close(session)
            closed += 1
            if closed % _RELEASE_EVERY == 0:
                release_memory()
            await asyncio.sleep(0)
        if closed:
            release_memory()
        return closed

    def close_all(self) -> list[str]:
        """Close all contexts. Sessions in memory are deleted; returns their ids."""
        in_memory = list(self._in_memory)
        for session_id in in_memory:
            self.delete_in_memory(session_id)
        for session in list(self._by_handle.values()):
            self.close(session)
        return in_memory

    def evict(self, record: SessionRecord) -> None:
        """Close a session if it is open, because its context is about to be replaced."""
        if (session := self._by_handle.get(record.handle)) is not None:
            if session.durability == "durable":
                self.close(session)
            self._unregister(session)

    def mark_deleted(self, session_id: str) -> None:
        """Mark a durable context as deleted for every process that has it open, and close it."""
        self.damage.forget(session_id)
        self._failed.discard(session_id)
        session = next((s for s in self._by_handle.values() if s.id == session_id), None)
        try:
            context = self._durable.open(session_id) if session is None else session.context
            context.mark_deleted()
        except (ContextError, apsw.Error, OSError) as error:
            log.warning("deleting a context that cannot be used", session=session_id, reason=str(error))
            if session is None:
                return
        if session is None:
            context.close()
        else:
            self.close(session)

    def delete_in_memory(self, session_id: str) -> None:
        """Delete a session in memory."""
        session = self._in_memory.pop(session_id, None)
        if session is not None:
            self._unregister(session)
            self._memory.delete(session_id)

    async def release(self, session: Session) -> bool:
        """Close a durable session and release its lease, so that another gateway can take it. Returns False if it is in use."""
        if self._member is None or session.users or session.durability == "memory":
            return False
        self.close(session)
        await self._member.leases.let_go(session.id)
        return True

    def mark_owner_gone(self, owned: OwnedElsewhere) -> None:
        """Record that an owner no longer listens: its lease may be taken before it lapses.

        If the owner is alive after all, the fence prevents it from writing.
        """
        self._ended_owners[owned.record.id] = owned.owner.id

    # -- inside -----------------------------------------------------------------------------------------------------

    def _connect(self, session: Session) -> None:
        """Mark a session as most recently used, and open its context. The least recently used ones are closed to stay within the
        limit.

        Raises:
            ContextError: the context of a new session cannot be opened; the session is no longer open here then.
        """
        self._touch(session)
        if session.open_context is not None:
            return
        if session.durability == "memory":
            session.open_context = self._memory.open(session.id)
        else:
            try:
                session.open_context = self._open_first(session.id)
            except ContextError:
                self._unregister(session)
                raise
        session.initial_summary = None

    def _open_first(self, session_id: str) -> Context:
        return self._durable.open_first(session_id, None if self._member is None else FIRST_FENCE)

    async def _open_new(self, record: SessionRecord) -> Session | None:
        """Open a session that was created here and never used, in a thread, because this creates files.

        Returns None if that fails; the session is no longer open here then.
        """
        session = self._by_handle.get(record.handle)
        if session is None:
            return None
        try:
            with session.in_use():
                context = await in_thread(self._open_first, session.id)
        except ContextError:
            self._unregister(session)
            return None
        if session.open_context is not None or self._by_handle.get(record.handle) is not session:
            context.close()  # it has been opened or deleted meanwhile
        else:
            session.open_context, session.initial_summary = context, None
        return self.live(record.handle)

    def _touch(self, session: Session) -> None:
        awake, handle = self._connected[session.durability], session.record.handle
        if handle in awake:
            awake.move_to_end(handle)
            return
        awake[handle] = session
        while len(awake) > self._max_connected[session.durability]:
            oldest = next((s for s in awake.values() if s is not session and not s.users), None)
            if oldest is None:
                break
            if oldest.open_context is not None and oldest.durability == "durable":
                metrics.CONTEXTS_CLOSED.labels("room").inc()
            self.close(oldest)

    def _is_connected(self, session: Session) -> bool:
        return self._connected[session.durability].get(session.record.handle) is session

    def _unregister(self, session: Session) -> None:
        """Stop resolving all handles of a session; code that still refers to it finds it closed."""
        session.opener = None
        self._by_handle.pop(session.record.handle, None)
        self._connected[session.durability].pop(session.record.handle, None)
        if session.record.name is not None:
            self._by_name.pop(session.record.name, None)
        for handle in session.seats or ():
            self._by_seat.pop(handle, None)

    async def _missing_from_memory(self, record: SessionRecord) -> Exception:
        owner = None if self._member is None else await self._member.leases.owner_of(record.id)
        if self._member is None or owner is None or owner.id == self._member.own.id:
            return _lost_error(record)
        if record.id in self._ended_owners or owner.url == self._member.own.url:
            self._ended_owners.pop(record.id, None)
            return _lost_error(record)
        return OwnedElsewhere(record, owner)

    async def _on_another_disk(self, record: SessionRecord) -> Exception:
        assert self._member is not None
        there: list[Peer] = [p for p in await self._member.leases.gateways() if p.volume == record.volume]
        owner = await self._member.leases.owner_of(record.id)
        if not there:
            return ContextError("the session's context is on the disk of a gateway that does not run now")
        return OwnedElsewhere(record, next((p for p in there if owner is not None and p.id == owner.id), there[0]))


def _check_expiry(record: SessionRecord) -> None:
    if record.expires_ms is not None and wall_ms() >= record.expires_ms:
        raise ExpiredSession(record.expires_ms)


def _deleted_error(record: SessionRecord) -> UnknownSession:
    return UnknownSession(f"the session {record.id} has just been deleted")


def _lost_error(record: SessionRecord) -> UnknownSession:
    return UnknownSession(f"the session {record.id} was in the memory of a process that has ended; make a new one")


def _reason(lease: Lease, gone: str | None) -> str:
    return "refused" if gone is not None else "lapsed" if lease.lapsed else "free"
