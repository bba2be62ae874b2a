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
from soundstage.contexts.engine.keepers import DurableKeeper, MemoryKeeper
from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.store import Context
from soundstage.gateway import metrics
from soundstage.gateway.log import log
from soundstage.gateway.registry.leases import Lease, Peer
from soundstage.gateway.registry.member import Member
from soundstage.gateway.registry.records import Durability, Seat, SessionRecord
from soundstage.gateway.sessions.aside import in_thread
from soundstage.gateway.sessions.damage import Damage
from soundstage.gateway.sessions.memory import give_back
from soundstage.gateway.sessions.problems import ExpiredSession, HeldElsewhere, UnknownSession
from soundstage.gateway.sessions.session import Session, Told, place_of

FIRST_FENCE = 1
"""The fence of the gateway that creates a session."""
AWAKE_IN_MEMORY = 1200
"""The number of in-memory contexts with an open connection.

A connection's statements and SQLite's page cache are two thirds of a context's memory. Reopening one takes a third of a
millisecond.
"""
_CLOSED_AT_ONCE = 64
"""After closing this many contexts, their memory is returned to the system, which takes a few milliseconds."""


class Held:
    """Opens and closes contexts. A gateway (`member`) opens a durable context only under its lease.

    A guest (without `member`: `soundstage stdio`, replays) takes no lease. SQLite's transactions isolate it from a gateway on
    the same machine.
    """

    def __init__(self, durable: DurableKeeper, memory: MemoryKeeper, member: Member | None, *, max_open: int) -> None:
        self._durable = durable
        self._memory = memory
        self._member = member
        self._max_open = max_open
        self._open: dict[str, Session] = {}  # by handle
        # By handle: sessions whose context is connected, or new and not yet opened, least recently used first.
        self._awake: dict[Durability, OrderedDict[str, Session]] = {"durable": OrderedDict(), "memory": OrderedDict()}
        self._most: dict[Durability, int] = {"durable": max_open, "memory": AWAKE_IN_MEMORY}
        self._named: dict[str, Session] = {}  # by name
        self._seated: dict[str, Session] = {}  # by a seat's handle
        self._in_memory: dict[str, Session] = {}  # by id
        self.damage = Damage()
        self._unopened: set[str] = set()  # sessions whose contexts could not be opened
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._gone: dict[str, str] = {}  # session id to the id of its owner, which does not run any more

    def __len__(self) -> int:
        return sum(session.at_hand is not None for awake in self._awake.values() for session in awake.values())

    # -- finding and opening ----------------------------------------------------------------------------------------

    def live(self, handle: str, *, or_name: bool = False) -> Session | None:
        """Return the session of a handle or seat handle (or of this name) if it is open here. Every call tries this first.

        Raises:
            ExpiredSession: its time to live is over.
        """
        session = self._open.get(handle) or self._seated.get(handle)
        if session is None and or_name:
            session = self._named.get(handle)
        if session is not None and not session.is_in_place:
            self.close(session)  # reopening finds the replaced file or reports that it is missing
            self.damage.mended(session.id)
            return None
        if session is not None:
            _check_expiry(session.record)
            if session.at_hand is None and session.durability == "durable":
                return None  # a new session, which `open` opens
            self._wake(session)
            session.last_used = time.monotonic()
        return session

    def unused(self, handle: str) -> SessionRecord | None:
        """Return the durable session of a handle if it was created here and has never been used."""
        session = self._open.get(handle) or self._seated.get(handle)
        return None if session is None or session.at_hand is not None else session.record

    def behind(self, error: Exception, session_id: str) -> ContextError | None:
        """Map an error raised while this session (id or name) was used to its cause; see `Damage.behind`."""
        session = next((s for s in self._open.values() if session_id in (s.id, s.record.name)), None)
        return None if session is None else session.problem(error)

    def what_is_wrong(self, record: SessionRecord) -> str | None:
        """Return why a session's context cannot be used, from known damage or the header of its file."""
        if record.durability == "memory" or (self._member and record.volume not in (None, self._member.own.volume)):
            return None
        return self.damage.of(record.id) or self._durable.what_is_wrong(record.id)

    def in_memory(self, session_id: str) -> Session | None:
        """Return the session in this process's memory that has this id or name."""
        session = self._in_memory.get(session_id) or self._named.get(session_id)
        return session if session is not None and session.durability == "memory" else None

    def opened(self, record: SessionRecord) -> Session | None:
        """Return the session if it is open here, even if it has expired."""
        return self._open.get(record.handle)

    async def open(self, record: SessionRecord) -> Session:
        """Return the session; open it under its lease if it is not open yet.

        Raises:
            ExpiredSession: its time to live is over.
            HeldElsewhere: another gateway has it.
            UnknownSession: it was deleted meanwhile, or was in the memory of a gateway that ended.
            ContextError: its context cannot be opened.
        """
        _check_expiry(record)
        async with self.alone(record.id):
            if (session := self.live(record.handle) or await self._opened_first(record)) is not None:
                return session
            fence = await self.claim(record)
            try:
                context = self._durable.open(record.id)
                try:
                    if fence is not None:
                        context.hold(fence)
                except BaseException:
                    context.close()
                    raise
            except ContextError as error:
                self.damage.note(record.id, error)
                self._unopened.add(record.id)
                raise
            if record.id in self._unopened:
                self._unopened.remove(record.id)
                self.damage.mended(record.id)
            return self.adopt(record, context)

    def alone(self, session_id: str) -> asyncio.Lock:
        """Return the lock for creating and opening a session: two requests must not open it twice."""
        lock = self._opening.get(session_id)
        if lock is None:
            lock = self._opening[session_id] = asyncio.Lock()
        return lock

    async def claim(self, record: SessionRecord) -> int | None:
        """Take a durable session's lease and return its fence; None for a guest.

        Raises:
            HeldElsewhere, UnknownSession, ContextError: see `open`.
        """
        if record.durability == "memory":
            raise await self._not_here(record)
        member = self._member
        if member is None:
            return None
        if record.volume not in (None, member.own.volume):
            raise await self._on_another_disk(record)
        gone = self._gone.pop(record.id, None)
        lease = await member.leases.take(record.id, though=gone)
        if isinstance(lease, Peer) and lease.url is not None and lease.url == member.own.url:
            gone, lease = lease.id, None  # this gateway listens where the owner did, so the owner has ended
        if lease is None:
            lease = await member.leases.take(record.id, though=gone)
        if isinstance(lease, Peer):
            raise HeldElsewhere(record, lease)
        if lease is None:
            raise _deleted(record)
        metrics.LEASES_TAKEN.labels(_reason(lease, gone)).inc()
        return lease.fence

    def adopt(self, record: SessionRecord, made: Context | Told) -> Session:
        """Register a context with this process: an open one, or a summary of a new one that is opened at its first use.

        An open context may displace the least recently used one.
        """
        if isinstance(made, Context):
            session = Session(record, made, damage=self.damage)
        else:
            file = None if record.durability == "memory" else place_of(self._durable.file_of(record.id))
            session = Session(record, None, damage=self.damage, file=file, begun=made)
        session.opens = self._wake
        if record.durability == "memory":
            self._in_memory[session.id] = session
        self._open[record.handle] = session
        if record.name is not None:
            self._named[record.name] = session
        if session.at_hand is not None or record.durability == "durable":
            self._count(session)
        return session

    def seat(self, session: Session, seats: Iterable[Seat]) -> None:
        """Register seats of a session, and resolve their handles while the session is open here."""
        known = session.seats = session.seats or {}
        for seat in seats:
            known[seat.handle] = seat
            if self._open.get(session.record.handle) is session:
                self._seated[seat.handle] = session

    async def still(self, session: Session) -> Session:
        """Return the session after a pause; reopen it if it was closed meanwhile.

        Raises:
            UnknownSession: it was deleted.
            HeldElsewhere: another gateway has taken it over.
            ExpiredSession, ContextError: see `open`.
        """
        if self._open.get(session.record.handle) is session:
            self._wake(session)
            return session
        if session.durability == "memory":
            raise _deleted(session.record)
        return await self.open(session.record)

    @contextmanager
    def look(self, record: SessionRecord) -> Iterator[Context]:
        """Open the session's context read-only, whichever gateway owns it.

        Raises:
            ContextError: it is on another disk, in another process's memory, missing or damaged.
        """
        if (session := self._open.get(record.handle)) is not None:
            self._wake(session)
            yield session.context
            return
        if record.durability == "memory" or (self._member and record.volume not in (None, self._member.own.volume)):
            raise ContextError("it is on another gateway")
        context = self._durable.look(record.id)
        try:
            yield context
        finally:
            context.close()

    def all_open(self) -> list[Session]:
        """Return the sessions that this process has open."""
        return list(self._open.values())

    # -- closing and releasing ------------------------------------------------------------------------------------

    def close(self, session: Session) -> None:
        """Close a context. The lease of a durable one stays; an in-memory one reopens at its next use."""
        context = session.at_hand
        if session.durability == "memory":
            session.at_hand = None
            if context is not None:
                self._memory.close(session.id, context)
            self._awake["memory"].pop(session.record.handle, None)
            return
        self._leave(session)
        if context is not None:
            self._durable.close(session.id, context)

    def drop_taken(self, context: Context) -> None:
        """Close the session of a context that another gateway has taken over."""
        for session in [s for s in self._open.values() if s.at_hand is context]:
            self.close(session)
            metrics.FENCED.inc()

    async def close_idle(self, idle_s: float) -> int:
        """Close contexts that have been unused for `idle_s` seconds. Returns how many.

        Closing a durable context takes some milliseconds, because its WAL is checkpointed; calls are served in between. An
        in-memory context preserves its written pages and frees its statements and SQLite's page cache.
        """
        limit = time.monotonic() - idle_s
        closed = 0
        for session in [s for awake in self._awake.values() for s in awake.values() if s.last_used < limit]:
            if session.users or session.last_used >= limit or not self._is_awake(session):
                continue  # it has been called or closed since
            if session.at_hand is not None and session.durability == "durable":
                metrics.CONTEXTS_CLOSED.labels("idle").inc()
            self.close(session)
            closed += 1
            if closed % _CLOSED_AT_ONCE == 0:
                give_back()
            await asyncio.sleep(0)
        if closed:
            give_back()
        return closed

    def close_all(self) -> list[str]:
        """Close all contexts. Sessions in memory are deleted; returns their ids."""
        in_memory = list(self._in_memory)
        for session_id in in_memory:
            self.forget(session_id)
        for session in list(self._open.values()):
            self.close(session)
        return in_memory

    def drop(self, record: SessionRecord) -> None:
        """Close a session if it is open, because its context is about to be replaced."""
        if (session := self._open.get(record.handle)) is not None:
            if session.durability == "durable":
                self.close(session)
            self._leave(session)

    def end(self, session_id: str) -> None:
        """Mark a durable context as deleted for every process that has it open, and close it."""
        self.damage.mended(session_id)
        self._unopened.discard(session_id)
        session = next((s for s in self._open.values() if s.id == session_id), None)
        try:
            context = self._durable.open(session_id) if session is None else session.context
            context.end()
        except (ContextError, apsw.Error, OSError) as error:
            log.warning("deleting a context that cannot be used", session=session_id, reason=str(error))
            if session is None:
                return
        if session is None:
            context.close()
        else:
            self.close(session)

    def forget(self, session_id: str) -> None:
        """Delete a session in memory."""
        session = self._in_memory.pop(session_id, None)
        if session is not None:
            self._leave(session)
            self._memory.delete(session_id)

    async def let_go(self, session: Session) -> bool:
        """Close a durable session and release its lease, so that another gateway can take it. Returns False if it is in use."""
        if self._member is None or session.users or session.durability == "memory":
            return False
        self.close(session)
        await self._member.leases.let_go(session.id)
        return True

    def owner_is_gone(self, held: HeldElsewhere) -> None:
        """Record that an owner no longer listens: its lease may be taken before it lapses.

        If the owner is alive after all, the fence prevents it from writing.
        """
        self._gone[held.record.id] = held.owner.id

    # -- inside -----------------------------------------------------------------------------------------------------

    def _wake(self, session: Session) -> None:
        """Mark a session as most recently used, and open its context. The least recently used ones are closed to stay within the
        limit.

        Raises:
            ContextError: the context of a new session cannot be opened; the session is no longer open here then.
        """
        self._count(session)
        if session.at_hand is not None:
            return
        if session.durability == "memory":
            session.at_hand = self._memory.open(session.id)
        else:
            try:
                session.at_hand = self._open_first(session.id)
            except ContextError:
                self._leave(session)
                raise
        session.begun = None

    def _open_first(self, session_id: str) -> Context:
        return self._durable.open_first(session_id, None if self._member is None else FIRST_FENCE)

    async def _opened_first(self, record: SessionRecord) -> Session | None:
        """Open a session that was created here and never used, in a thread, because this creates files.

        Returns None if that fails; the session is no longer open here then.
        """
        session = self._open.get(record.handle)
        if session is None:
            return None
        try:
            with session.in_use():
                context = await in_thread(self._open_first, session.id)
        except ContextError:
            self._leave(session)
            return None
        if session.at_hand is not None or self._open.get(record.handle) is not session:
            context.close()  # it has been opened or deleted meanwhile
        else:
            session.at_hand, session.begun = context, None
        return self.live(record.handle)

    def _count(self, session: Session) -> None:
        awake, handle = self._awake[session.durability], session.record.handle
        if handle in awake:
            awake.move_to_end(handle)
            return
        awake[handle] = session
        while len(awake) > self._most[session.durability]:
            oldest = next((s for s in awake.values() if s is not session and not s.users), None)
            if oldest is None:
                break
            if oldest.at_hand is not None and oldest.durability == "durable":
                metrics.CONTEXTS_CLOSED.labels("room").inc()
            self.close(oldest)

    def _is_awake(self, session: Session) -> bool:
        return self._awake[session.durability].get(session.record.handle) is session

    def _leave(self, session: Session) -> None:
        """Stop resolving all handles of a session; code that still refers to it finds it closed."""
        session.opens = None
        self._open.pop(session.record.handle, None)
        self._awake[session.durability].pop(session.record.handle, None)
        if session.record.name is not None:
            self._named.pop(session.record.name, None)
        for handle in session.seats or ():
            self._seated.pop(handle, None)

    async def _not_here(self, record: SessionRecord) -> Exception:
        owner = None if self._member is None else await self._member.leases.owner_of(record.id)
        if self._member is None or owner is None or owner.id == self._member.own.id:
            return _lost(record)
        if record.id in self._gone or owner.url == self._member.own.url:
            self._gone.pop(record.id, None)
            return _lost(record)
        return HeldElsewhere(record, owner)

    async def _on_another_disk(self, record: SessionRecord) -> Exception:
        assert self._member is not None
        there: list[Peer] = [p for p in await self._member.leases.gateways() if p.volume == record.volume]
        owner = await self._member.leases.owner_of(record.id)
        if not there:
            return ContextError("the session's context is on the disk of a gateway that does not run now")
        return HeldElsewhere(record, next((p for p in there if owner is not None and p.id == owner.id), there[0]))


def _check_expiry(record: SessionRecord) -> None:
    if record.expires_ms is not None and wall_ms() >= record.expires_ms:
        raise ExpiredSession(record.expires_ms)


def _deleted(record: SessionRecord) -> UnknownSession:
    return UnknownSession(f"the session {record.id} has just been deleted")


def _lost(record: SessionRecord) -> UnknownSession:
    return UnknownSession(f"the session {record.id} was in the memory of a process that has ended; make a new one")


def _reason(lease: Lease, gone: str | None) -> str:
    return "refused" if gone is not None else "lapsed" if lease.lapsed else "free"
