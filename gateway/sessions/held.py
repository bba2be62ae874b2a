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
"""With which the gateway that has made a session holds it."""
AWAKE_IN_MEMORY = 1200
"""How many contexts in memory keep a connection, with its statements and SQLite's copies of pages: two thirds of what one takes.
To open the next of them takes a third of a millisecond."""
_CLOSED_AT_ONCE = 64
"""After how many closed contexts their memory is given back: a pause of a few milliseconds."""


class Held:
    """Opens and closes contexts. A gateway (`member`) opens a durable one under its lease alone.

    A guest (`member` None: `soundstage stdio`, replays) takes none and is kept apart from a gateway on the same machine by the
    transactions of SQLite.
    """

    def __init__(self, durable: DurableKeeper, memory: MemoryKeeper, member: Member | None, *, max_open: int) -> None:
        self._durable = durable
        self._memory = memory
        self._member = member
        self._max_open = max_open
        self._open: dict[str, Session] = {}  # by handle
        # By handle those whose context has a connection, or is new and has none yet, the longest unused first.
        self._awake: dict[Durability, OrderedDict[str, Session]] = {"durable": OrderedDict(), "memory": OrderedDict()}
        self._most: dict[Durability, int] = {"durable": max_open, "memory": AWAKE_IN_MEMORY}
        self._named: dict[str, Session] = {}  # by name
        self._seated: dict[str, Session] = {}  # by a seat's handle
        self._in_memory: dict[str, Session] = {}  # by id
        self.damage = Damage()
        self._unopened: set[str] = set()  # sessions whose contexts could not be opened
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._gone: dict[str, str] = {}  # session → its owner, which has been found to be gone

    def __len__(self) -> int:
        return sum(session.at_hand is not None for awake in self._awake.values() for session in awake.values())

    # -- finding and opening ----------------------------------------------------------------------------------------

    def live(self, handle: str, *, or_name: bool = False) -> Session | None:
        """The session behind a handle, its own or a seat's (or of this name), if it is open here: the short way of every call.

        Raises:
            ExpiredSession: when its time is over.
        """
        session = self._open.get(handle) or self._seated.get(handle)
        if session is None and or_name:
            session = self._named.get(handle)
        if session is not None and not session.is_in_place:
            self.close(session)  # opened anew, it is what lies there now, or told to be gone
            self.damage.mended(session.id)
            return None
        if session is not None:
            _check_expiry(session.record)
            if session.at_hand is None and session.durability == "durable":
                return None  # a new one, which `open` opens
            self._wake(session)
            session.last_used = time.monotonic()
        return session

    def unused(self, handle: str) -> SessionRecord | None:
        """The durable session behind a handle that was made here and that nobody has used so far."""
        session = self._open.get(handle) or self._seated.get(handle)
        return None if session is None or session.at_hand is not None else session.record

    def behind(self, error: Exception, session_id: str) -> ContextError | None:
        """What an error means that was raised while this session, given by id or name, was used; see `Damage.behind`."""
        found = next((s for s in self._open.values() if session_id in (s.id, s.record.name)), None)
        return None if found is None else found.problem(error)

    def what_is_wrong(self, record: SessionRecord) -> str | None:
        """Why a session's context cannot be used, as far as is known, or the beginning of its file shows."""
        if record.durability == "memory" or (self._member and record.volume not in (None, self._member.own.volume)):
            return None
        return self.damage.of(record.id) or self._durable.what_is_wrong(record.id)

    def in_memory(self, session_id: str) -> Session | None:
        """The session in this process's memory that has this id or name."""
        found = self._in_memory.get(session_id) or self._named.get(session_id)
        return found if found is not None and found.durability == "memory" else None

    def opened(self, record: SessionRecord) -> Session | None:
        """The session if it is open here, whatever has become of its time."""
        return self._open.get(record.handle)

    async def open(self, record: SessionRecord) -> Session:
        """The session, opened under its lease if it is not open yet.

        Raises:
            ExpiredSession: when its time is over.
            HeldElsewhere: when another gateway has it.
            UnknownSession: when it was deleted meanwhile, or has been in the memory of a gateway that ended.
            ContextError: when its context cannot be opened.
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
        """The lock under which a session is made and opened: two requests must not open it twice."""
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
        """Count a context as this process's: an open one, for which the longest unused one makes room where there is none, or one
        that has just been made, by what it says of itself, and is opened when it is first used.
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
        """Make seats of a session known, and let their handles lead to it while it is open here."""
        known = session.seats = session.seats or {}
        for seat in seats:
            known[seat.handle] = seat
            if self._open.get(session.record.handle) is session:
                self._seated[seat.handle] = session

    async def still(self, session: Session) -> Session:
        """The session after a pause: opened anew where it was closed meanwhile.

        Raises:
            UnknownSession: when it was deleted.
            HeldElsewhere: when another gateway has taken it over.
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
        """The session's context for reading alone, whoever has it.

        Raises:
            ContextError: when it is not within reach: on another disk, in another process's memory, gone or damaged.
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
        """The sessions that this process has open."""
        return list(self._open.values())

    # -- closing and giving back ------------------------------------------------------------------------------------

    def close(self, session: Session) -> None:
        """End this process's use of a durable context, for which the lease stays; one in memory is there at its next use."""
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
        """Close the session of a context that another gateway has been found to have taken over."""
        for session in [s for s in self._open.values() if s.at_hand is context]:
            self.close(session)
            metrics.FENCED.inc()

    async def close_idle(self, idle_s: float) -> int:
        """Close contexts that nobody has used for so long. Returns how many.

        A durable one takes some milliseconds, because its log is written into its file; calls go on between them. Of one in
        memory the pages that it has written stay; its statements and SQLite's copies of pages go.
        """
        limit = time.monotonic() - idle_s
        closed = 0
        for session in [s for awake in self._awake.values() for s in awake.values() if s.last_used < limit]:
            if session.users or session.last_used >= limit or not self._is_awake(session):
                continue  # it has been called, or closed, since
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
        """Close everything. What is in memory is gone; its ids are returned."""
        in_memory = list(self._in_memory)
        for session_id in in_memory:
            self.forget(session_id)
        for session in list(self._open.values()):
            self.close(session)
        return in_memory

    def drop(self, record: SessionRecord) -> None:
        """Close a session where it is open, because its context is about to be made anew."""
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
        """End a session in memory for good."""
        session = self._in_memory.pop(session_id, None)
        if session is not None:
            self._leave(session)
            self._memory.delete(session_id)

    async def let_go(self, session: Session) -> bool:
        """Close a durable session and give its lease back, so that another gateway can take it. False while it is in use."""
        if self._member is None or session.users or session.durability == "memory":
            return False
        self.close(session)
        await self._member.leases.let_go(session.id)
        return True

    def owner_is_gone(self, held: HeldElsewhere) -> None:
        """Take note that an owner does not listen any more: its lease may be taken before it runs out.

        Should it be alive after all, its fence keeps it from writing.
        """
        self._gone[held.record.id] = held.owner.id

    # -- inside -----------------------------------------------------------------------------------------------------

    def _wake(self, session: Session) -> None:
        """Count a session as the one last used, with its context open; the longest unused ones make room for it.

        Raises:
            ContextError: when the context of a session that nobody has used so far cannot be opened; then it is not open here.
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
        """The session if it was made here and nobody has used it so far, opened beside the event loop: files are made then.
        None where that cannot be done; then it is not open here.
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
            context.close()  # it has been opened, or ended, meanwhile
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
        """Let no handle lead to a session any more; who still has it finds it closed."""
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
    return UnknownSession(f"the session {record.id} was deleted a moment ago")


def _lost(record: SessionRecord) -> UnknownSession:
    return UnknownSession(f"the session {record.id} was in the memory of a process that has ended; make a new one")


def _reason(lease: Lease, gone: str | None) -> str:
    return "refused" if gone is not None else "lapsed" if lease.lapsed else "free"
