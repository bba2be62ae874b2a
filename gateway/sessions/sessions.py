"""The sessions of a gateway: create, find, fork, restore and delete them."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from typing_extensions import TypeVarTuple

from soundstage.contexts.apps import tables_for
from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.clock import wall_ms
from soundstage.contexts.engine.library import NAME as LIBRARY
from soundstage.contexts.engine.library import shared
from soundstage.contexts.engine.pages import PageImage
from soundstage.contexts.engine.problems import (
    ContextBusy,
    ContextDamaged,
    ContextError,
    ContextTaken,
    DiskFull,
    SnapshotDamaged,
    storing,
)
from soundstage.contexts.engine.storage import DurableStorage, MemoryStorage, Storage, initialize, open_file_read_only
from soundstage.contexts.engine.store import Context
from soundstage.gateway import metrics
from soundstage.gateway.faults import ledger, schedule_store
from soundstage.gateway.faults.check import read_schedule
from soundstage.gateway.faults.schedule import Schedule, document_of
from soundstage.gateway.log import log
from soundstage.gateway.reading.readers import Readers
from soundstage.gateway.registry.database import Database, RegistryUnavailable
from soundstage.gateway.registry.leases import Peer
from soundstage.gateway.registry.member import Member, volume_of
from soundstage.gateway.registry.records import (
    NEUTRAL,
    Bounds,
    Durability,
    Introduction,
    NameTaken,
    Records,
    Seat,
    SessionRecord,
    SnapshotRecord,
)
from soundstage.gateway.registry.upstreams import UpstreamRecords
from soundstage.gateway.sessions.capacity import Capacity
from soundstage.gateway.sessions.clock_rules import (
    ClockChange,
    changed_clock,
    check_clock,
    check_clock_range,
    first_clock,
)
from soundstage.gateway.sessions.offload import in_thread, is_short_work
from soundstage.gateway.sessions.open_sessions import FIRST_FENCE, OpenSessions
from soundstage.gateway.sessions.pending import PendingFiles
from soundstage.gateway.sessions.problems import (
    BadRequest,
    Draining,
    ExpiredSession,
    OwnedElsewhere,
    ReadOnlySession,
    UnknownSession,
)
from soundstage.gateway.sessions.seats import new_seat, owned_apps
from soundstage.gateway.sessions.session import ContextSummary, Session
from soundstage.gateway.sessions.store import SESSION_PREFIX, SNAPSHOT_PREFIX, SessionStore, closing_on_failure
from soundstage.gateway.sessions.warm_pool import ContextKind, WarmPool
from soundstage.gateway.settings import MOST_LISTED, Settings, ToolList, Unavailable
from soundstage.gateway.share import new_seat_handle
from soundstage.servers.catalogue import App, load_app, load_apps
from soundstage.worlds import World, built, database, library, load_world, own_folder, start_for
from soundstage.worlds.partial import clear_away
from soundstage.worlds.parts import PARTS

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_STEPS_NAMED = 20
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class NewSession:
    """The parameters of a new session."""

    name: str | None = None
    world: str | None = None
    """None means the gateway's default world."""
    user: str | None = None
    """The person of the world who owns the session; None means the world's default user."""
    server: Introduction = NEUTRAL
    """The introduction of the shared address."""
    apps: tuple[str, ...] | None = None
    """None means all apps."""
    seed: int = 0
    clock: ClockChange = field(default_factory=ClockChange)
    durability: Durability = "durable"
    ttl_s: float | None = None
    """The time to live in seconds; None means that the session never expires."""
    faults: object = None
    """A schedule's data or the name of a preset; None means the gateway's default, and `off` means no faults."""
    tools: ToolList | None = "all"
    """The listed tools; None means `default_listing`."""
    upstreams: tuple[str, ...] | None = None
    """None means all upstreams."""
    bounds: Bounds | None = None
    shown: tuple[str, ...] | None = None
    """The tools that the session's addresses offer, by their names at the shared address; None means all."""
    unavailable: Unavailable = "hide"
    """Whether tools without a handler are listed."""
    additions: Mapping[str, Any] | None = None
    """Objects ({app: {entity: [objects]}}) that are inserted as the session's first step."""


def default_listing(apps: Iterable[str]) -> ToolList:
    """Return the default tool listing of a session with these apps."""
    return "search" if sum(len(load_app(app).tools) for app in apps) > MOST_LISTED else "all"


class Sessions:
    """The sessions of one registry, as this process sees them.

    Everything that touches a context runs in the event loop without awaiting, so two calls of this process never use one
    context at the same time. With `joins`, the process is one gateway of a cluster and opens sessions exclusively, under
    leases; without, it is a guest next to a gateway. `volume` is the disk of its contexts. `upstream_apps` returns the upstreams
    that fault schedules may name. `builder` is a process that builds worlds in the background; without it, worlds are built in
    this process. `on_calls_used_up` is called with a session whose agent sends a request after its last permitted call.
    """

    def __init__(self, settings: Settings, *, joins: bool = False) -> None:
        self._settings = settings
        self.volume = volume_of(settings.data)
        self._worlds = settings.worlds
        self._built = settings.built or settings.worlds
        library.serve(self._built)
        self.database = Database(settings.data, settings.registry)
        self._records = Records(self.database)
        self.upstream_records = UpstreamRecords(self.database)
        self.member = Member(self.database, url=settings.advertise, volume=self.volume) if joins else None
        durable = DurableStorage(settings.data, max_bytes=settings.max_session_bytes)
        memory = MemoryStorage(max_bytes=settings.max_session_bytes)
        self._durable, self._memory = durable, memory
        self._storages: dict[Durability, Storage] = {"durable": durable, "memory": memory}
        self._open_sessions = OpenSessions(durable, memory, self.member, max_open=settings.max_open)
        self._capacity = Capacity(settings, self._records, lambda: self.remove_expired(keep_s=0))
        pending = PendingFiles(settings.data)
        self._store = SessionStore(
            self._records, durable, memory, self._open_sessions, self._capacity, self.member, pending
        )
        self._warm_pool = WarmPool(
            settings.warm,
            make=self._prepare,
            remove=self._remove_warm,
            new_id=lambda: _new_id(SESSION_PREFIX),
            pending=pending,
        )
        self._memory_snapshots: dict[str, list[SnapshotRecord]] = {}
        self.builder: Readers | None = None
        self._building = asyncio.Lock()
        self.upstream_apps: Callable[[], Mapping[str, App]] = dict
        self.on_calls_used_up: Callable[[Session], None] = lambda session: None

    async def start(self) -> None:
        await self.database.connect()
        if self.member is not None:
            await self.member.join()
        await self.remove_abandoned()

    async def drain(self) -> None:
        """Stop creating sessions and let other gateways take over the existing ones."""
        if self.member is not None:
            await self.member.drain()

    async def stop(self) -> None:
        """Close every context, which checkpoints its WAL, and release the leases."""
        await self._warm_pool.close()
        in_memory = self._open_sessions.close_all()
        if self.member is not None:
            await self.member.leave()
        else:
            for session_id in in_memory:
                await self._records.remove(session_id)
        await self.database.close()

    @property
    def draining(self) -> bool:
        """Whether this gateway is shutting down."""
        return self.member is not None and self.member.draining

    @property
    def open_count(self) -> int:
        """The number of contexts that this process has open."""
        return len(self._open_sessions)

    @property
    def warm_count(self) -> int:
        """The number of prepared contexts that wait for new sessions."""
        return len(self._warm_pool)

    # -- creating and finding ---------------------------------------------------------------------------------------

    async def create(self, wanted: NewSession) -> Session:
        """Create a session.

        Raises:
            See `create_many`.
        """
        (session,) = await self.create_many(wanted, 1)
        return session

    async def create_many(self, wanted: NewSession, count: int) -> list[Session]:
        """Create `count` identical sessions with separate addresses: either all of them or none.

        Raises:
            BadRequest: invalid name or clock, a user outside the world or without account, or a name with `count` > 1.
            NameTaken: another session has the name.
            UnknownWorld, UnknownApp: the message lists the known ones.
            BrokenWorld: the sources of a user-supplied world have mistakes.
            ScheduleMistakes: the fault schedule is invalid.
            StateError: the objects cannot be added.
            Draining: this gateway is shutting down.
            TooManySessions, LowOnDisk, DiskFull: a limit has been reached.
        """
        if self.draining:
            raise Draining
        if count > 1 and wanted.name is not None:
            raise BadRequest("name: cannot be given when n > 1, because names are unique")
        handle = self._new_handle(wanted.name)
        schedule = self._schedule(self._settings.faults if wanted.faults is None else wanted.faults)
        name = self._settings.world if wanted.world is None else wanted.world
        world = load_world(name, own_folder(self._worlds))
        apps = tuple(load_apps(wanted.apps))
        await self._build(world, apps)
        if wanted.user is not None:
            with storing():
                image = built(world, self._built)
            apps = owned_apps(image, wanted.user, apps, chosen=wanted.apps is not None)
        now = wall_ms()
        expires = None if wanted.ttl_s is None else now + int(wanted.ttl_s * 1000)
        clock = first_clock(wanted.clock, world.epoch_ms)
        check_clock_range(clock, expires and expires - now)
        record = SessionRecord(
            id=_new_id(SESSION_PREFIX),
            handle=handle,
            name=wanted.name,
            world=world.name,
            apps=apps,
            seed=wanted.seed,
            clock=clock,
            created_ms=now,
            expires_ms=expires,
            tools=wanted.tools or default_listing(apps),
            upstreams=wanted.upstreams,
            durability=wanted.durability,
            volume=self.volume,
            user=wanted.user or world.user,
            server=wanted.server,
            bounds=wanted.bounds,
            shown=wanted.shown,
            unavailable=wanted.unavailable,
        )

        kind = ContextKind(world, database(world, self._built), apps, wanted.durability)
        ready = {made.id: made for _ in range(count) if (made := self._warm_pool.take(kind)) is not None}
        ids = [*ready, *(_new_id(SESSION_PREFIX) for _ in range(count - len(ready)))]
        handles = [handle, *(self._new_handle(None) for _ in range(count - 1))]

        def start(context: Context, record: SessionRecord) -> ContextSummary:
            self._begin(record, context, FIRST_FENCE)
            with closing_on_failure(context):
                if wanted.additions:
                    _put_state(context, wanted.additions, "add")
                if schedule is not None:
                    with context.transaction() as meta:
                        schedule_store.put(context, meta, schedule)
                return ContextSummary.of(context)

        async def begin(record: SessionRecord) -> Context | ContextSummary:
            if (made := ready.pop(record.id, None)) is not None:
                announced.push(made.announced)
                start(made.context, record)
                return made.context
            storage = self._storages[kind.durability]
            image, summary = storage.apply(beginning, partial(start, record=record))
            await self._make(record.id, kind.durability, image)
            return summary

        beginning = self._beginning(kind)
        records = [replace(record, id=one, handle=of_it) for one, of_it in zip(ids, handles, strict=True)]
        with (
            ExitStack() as announced
        ):  # announcements of the ready contexts in use, until a session owns them or they are removed
            try:
                sessions = await self._store.add(records, begin)
            finally:
                for unused in ready.values():
                    self._warm_pool.discard(kind, unused)
        metrics.SESSIONS_CREATED.inc(count)
        for session in sessions:
            self._open_sessions.add_seats(session, ())
        return sessions

    def live(self, handle: str, *, or_name: bool = False) -> Session | None:
        """Return the session of a handle or seat handle (or of this name) if this process has it open. Every call tries this
        first.

        Raises:
            ExpiredSession: its time to live is over, or its bounds are reached.
        """
        session = self._open_sessions.live(handle, or_name=or_name)
        if session is not None and session.record.bounds is not None:
            if session.calls_left == 0:
                self.on_calls_used_up(session)
            session.check_open()
            session.last_request = session.last_used
        return session

    async def by_handle(self, handle: str, *, or_name: bool = False) -> Session:
        """Return the session of a handle or seat handle; open it if necessary.

        With `or_name`, a session's name is accepted, too. Names can be guessed, so that is only for clients that need no
        credential.

        Raises:
            UnknownSession, ExpiredSession: an unknown handle never creates a session.
            OwnedElsewhere: another gateway has the session.
            ContextError: its context cannot be opened.
        """
        if (session := self.live(handle, or_name=or_name)) is not None:
            await session.wait_until_free()
            return session
        if (unused := self._open_sessions.unused(handle)) is not None:
            row: tuple[SessionRecord, Seat | None] | None = unused, None
        else:
            row = await self._retry_briefly(partial(self._look_up, handle, or_name))
        if row is None:
            raise UnknownSession("no session has this handle; it was deleted, or the address was mistyped")
        record, seat = row
        if record.bounds is not None and record.bounds.over:
            raise ExpiredSession(record.bounds.closes_ms)
        session = await self._with_seats(await self._open_sessions.open(record))
        if seat is not None:
            self._open_sessions.add_seats(session, (seat,))
        session.check_open()
        if session.record.bounds is not None:
            session.last_request = time.monotonic()
        return session

    async def _look_up(self, handle: str, or_name: bool) -> tuple[SessionRecord, Seat | None] | None:
        """Look up a handle in the registry. Returns the session, and the seat if the handle is a seat's."""
        record, seat = await self._records.by_handle(handle), None
        if record is None and (seat := await self._records.seat(handle)) is not None:
            record = await self._records.by_id(seat.session_id)
        if record is None and or_name:
            record = await self._records.by_name(handle)
        return None if record is None else (record, seat)

    async def _retry_briefly(self, look: Callable[[], Awaitable[T | None]]) -> T | None:
        """Call `look` until it finds a row or a short time is over: a new gateway's rows may still be being written."""
        row = await look()
        until = time.monotonic() + _SOON_S
        while row is None and self.member is not None and self.member.is_new and time.monotonic() < until:
            await asyncio.sleep(_CHECK_S)
            row = await look()
        return row

    async def by_id(self, session_id: str) -> Session:
        """Return the session with this id or name; open it if necessary.

        Raises:
            UnknownSession, ExpiredSession, OwnedElsewhere, ContextError: see `by_handle`.
        """
        if (session := self._open_sessions.in_memory(session_id)) is not None:
            session = self._open_sessions.live(session.record.handle) or session
        else:
            session = await self._with_seats(await self._open_sessions.open(await self._record_of(session_id)))
        await session.wait_until_free()
        return session

    def check(self, wanted: NewSession) -> tuple[str, ...]:
        """Check the parameters of a new session without creating it. Returns its apps.

        Raises:
            BadRequest, UnknownWorld, UnknownApp: see `create`.
        """
        self._new_handle(wanted.name)
        load_world(self._settings.world if wanted.world is None else wanted.world, own_folder(self._worlds))
        return tuple(load_apps(wanted.apps))

    async def find(self, name: str) -> Session | None:
        """Return the session of this name, opened if necessary, or None if there is none.

        Raises:
            ExpiredSession, OwnedElsewhere, ContextError: see `by_handle`.
        """
        if (session := self.live(name, or_name=True)) is not None:
            return session
        try:
            return await self.by_id(name)
        except ExpiredSession:
            raise
        except UnknownSession:
            return None

    async def by_name(self, name: str, otherwise: NewSession) -> Session:
        """Return the session of this name; create it from `otherwise` if it does not exist."""
        if (session := await self.find(name)) is not None:
            return session
        try:
            return await self.create(otherwise)
        except NameTaken:
            return await self.by_id(name)  # a concurrent request has created it

    async def page(self, *, offset: int, limit: int) -> tuple[list[SessionRecord], int]:
        """Return one page of sessions, newest first, and the total number of sessions."""
        return await self._records.sessions(offset=offset, limit=limit), await self._records.count()

    async def count(self) -> int:
        """Return the number of sessions, expired ones included."""
        return await self._records.count()

    def open_read_only(self, record: SessionRecord) -> AbstractContextManager[Context]:
        """Open a session's context read-only, whichever gateway owns it. See `OpenSessions.open_read_only`."""
        return self._open_sessions.open_read_only(record)

    def cause_of(self, error: Exception, session_id: str) -> ContextError | None:
        """Map an error raised while this session was used to its cause; see `Damage.cause_of`."""
        return self._open_sessions.cause_of(error, session_id)

    def known_problem(self, record: SessionRecord) -> str | None:
        """Return why a session's context cannot be used, if that is known without opening it."""
        return self._open_sessions.known_problem(record)

    # -- sessions with bounds -----------------------------------------------------------------------------------

    async def end_bounded(self, session: Session, *, keep_s: float) -> None:
        """Close the addresses of a bounded session permanently. It can be inspected for `keep_s` more seconds."""
        assert session.record.bounds is not None
        now = wall_ms()
        bounds = replace(session.record.bounds, over=True, closes_ms=min(now, session.record.bounds.closes_ms))
        expires_ms = now + int(keep_s * 1000)
        session.record = replace(
            session.record, bounds=bounds
        )  # effective at once in this process; the new expiry follows after the registry write
        with session.in_use():
            await self._records.rebound(session.id, bounds, expires_ms)
            session.record = replace(session.record, expires_ms=expires_ms)

    def close(self, session: Session) -> None:
        """Close a durable session's context; the next request reopens it."""
        self._open_sessions.close(session)

    def active_since(self, since: float) -> list[str]:
        """Return the bounded sessions open here whose agents sent a request after `since`, on this process's monotonic clock."""
        return [s.id for s in self._open_sessions.all() if s.record.bounds is not None and s.last_request >= since]

    async def wait_until_ended(self, session: Session) -> None:
        """Wait until a session was deleted or its time is over. Does not count as a use of the session.

        Deletion in this process is noticed within `_ENDED_LOOK_S`, deletion by another one within `_ENDED_ASK_S`.

        Raises:
            UnknownSession: the session has ended.
        """
        record, was_open, checked_at = session.record, True, time.monotonic()
        while True:
            await asyncio.sleep(_ENDED_LOOK_S)
            current = self._open_sessions.get(record)
            is_open = current is not None and current.has_original_file
            record = record if current is None else current.record
            bounds, now = record.bounds, wall_ms()
            if bounds is not None and (bounds.over or now >= bounds.closes_ms):
                raise UnknownSession("this session has ended; make a new one")
            if record.expires_ms is not None and now >= record.expires_ms:
                raise UnknownSession("this session has ended; make a new one")
            if is_open == was_open and time.monotonic() - checked_at < _ENDED_ASK_S:
                continue
            was_open, checked_at = is_open, time.monotonic()
            try:
                row = await self._records.by_id(record.id)
            except RegistryUnavailable:
                continue
            if row is None:
                raise UnknownSession("this session has ended; make a new one")
            record = row

    # -- seats ------------------------------------------------------------------------------------------------------

    async def add_seat(self, session: Session, user: str) -> Seat:
        """Add a seat: a further handle into the session, as another person of its world.

        Raises:
            BadRequest: the person is not in this world or has no account in the session's apps.
            ReadOnlySession: only the session's agent may change it.
        """
        session.check_changeable()
        seat = new_seat(session, user)
        with session.in_use():
            await self._records.add_seat(seat)
        self._open_sessions.add_seats(session, (seat,))
        return seat

    # -- several gateways ----------------------------------------------------------------------------------------------

    async def release(self, session: Session) -> bool:
        """Release a session so that another gateway can take it. Returns False if it is in use or cannot move."""
        return await self._open_sessions.release(session)

    async def is_alive(self, gateway: Peer) -> bool:
        """Whether a gateway has sent a recent heartbeat."""
        if self.member is None:
            return False
        try:
            return await self.member.leases.is_there(gateway.id)
        except RegistryUnavailable:
            return True  # assume that it runs: its reply may still arrive

    def mark_owner_gone(self, owned: OwnedElsewhere) -> None:
        """Record that the gateway that owned a session no longer listens."""
        self._open_sessions.mark_owner_gone(owned)

    def close_taken(self, context: object) -> None:
        """Close the session of a context that another gateway has taken over."""
        self._open_sessions.close_taken(context)

    async def close_idle(self, idle_s: float) -> int:
        """Close contexts that have been unused for `idle_s` seconds; the next call reopens them. Returns the number closed."""
        return await self._open_sessions.close_idle(idle_s)

    # -- changing ---------------------------------------------------------------------------------------------------

    def put_state(self, session: Session, wanted: object, mode: state.LoadMode) -> int:
        """Load state as a separate step.

        Raises:
            StateError, ContextFull, DiskFull: nothing has changed then.
            ReadOnlySession: only the session's agent may change it.
        """
        session.check_changeable()
        return _put_state(session.context, wanted, mode)

    def set_clock(self, session: Session, change: ClockChange) -> int:
        """Set the session's clock as a separate step.

        Raises:
            BadRequest: the clock is invalid or would soon reach its end.
            ReadOnlySession: only the session's agent may change it.
        """
        session.check_changeable()
        check_clock(change)
        expires = session.record.expires_ms
        check_clock_range(changed_clock(session.context.read_meta().clock, change), expires and expires - wall_ms())
        arguments = change.as_arguments()
        with session.context.step("clock", "clock", arguments) as step:
            session.context.set_clock(**arguments)
        return step.number

    def set_faults(self, session: Session, wanted: object) -> int:
        """Set a fault schedule (its data, or a preset's name) as a separate step; None or `off` removes it.

        Raises:
            ScheduleMistakes: the schedule is invalid; the old one stays in force.
            ReadOnlySession: only the session's agent may change it.
        """
        session.check_changeable()
        schedule = self._schedule(wanted)
        arguments = {"schedule": None if schedule is None else schedule.document}
        with session.context.step("faults", "faults", arguments) as step:
            schedule_store.put(session.context, step.meta, schedule)
        return step.number

    async def reset(self, session: Session) -> None:
        """Reset a session to its start. A damaged context is rebuilt from its world.

        Raises:
            ReadOnlySession: only the session's agent may change it.
        """
        session.check_changeable()
        if self._open_sessions.damage.of(session.id) is None:
            try:
                await self._rewind(session, 0)
            except Exception as error:
                if not isinstance(problem := session.cause_of(error), ContextDamaged):
                    raise problem or error from None
            else:
                return
        await self._remake(session.record)

    async def reset_by_id(self, session_id: str) -> Session:
        """Reset a session, even if its context can no longer be opened."""
        try:
            session = await self.by_id(session_id)
            await self.reset(session)
        except (ContextTaken, ContextBusy, DiskFull):
            raise
        except ContextError:
            record = await self._record_of(session_id)
            if record.bounds is not None:
                raise
            await self._remake(record)
        return await self.by_id(session_id)

    async def restore_step(self, session: Session, step: int) -> None:
        """Restore a session to its state after `step`; later steps are deleted.

        Raises:
            ContextError: the step does not exist.
            ReadOnlySession: only the session's agent may change it.
        """
        session.check_changeable()
        await self._rewind(session, step)

    async def _rewind(self, session: Session, step: int) -> None:
        await session.wait_until_free()
        steps = journal.last_step(session.context) - step
        await _offload(session, journal.rewind, session.context, step, steps=steps)

    async def restore_by_id(self, session_id: str, snapshot_id: str) -> Session:
        """Restore one of a session's snapshots, even if its context can no longer be opened.

        Raises:
            BadRequest: the session has no such snapshot.
            SnapshotDamaged: nothing has changed then.
        """
        try:
            session = await self.by_id(session_id)
            if self._open_sessions.damage.of(session.id) is None:
                await self.restore_snapshot(session, snapshot_id)
                return session
        except (ContextTaken, ContextBusy, DiskFull, SnapshotDamaged):
            raise
        except ContextError:
            pass
        record = await self._record_of(session_id)
        if record.bounds is not None:
            raise ReadOnlySession(record.id)
        _check_kept(await self._records.snapshots(record.id), snapshot_id)
        log.warning("context rebuilt from a snapshot", session=record.id, snapshot=snapshot_id)
        await self._put_in_place(record, lambda spare, fence: self._from_snapshot(spare, snapshot_id, fence))
        return await self.by_id(session_id)

    async def fork(self, session: Session, *, step: int | None = None, name: str | None = None) -> Session:
        """Create a session equal to this one, now or after `step`. Its seats belong to the same people and get new handles.

        Raises:
            ContextError: the step does not exist.
            BadRequest, NameTaken: the name is invalid or in use.
            Draining: this gateway is shutting down.
            TooManySessions, LowOnDisk, DiskFull: a limit has been reached.
        """
        if self.draining:
            raise Draining
        if step is not None:
            journal.check_step(session.context, step)
        record = replace(
            session.record,
            id=_new_id(SESSION_PREFIX),
            handle=self._new_handle(name),
            name=name,
            created_ms=wall_ms(),
            expires_ms=None,
            volume=self.volume,
            bounds=None,
        )
        with session.in_use():
            seats = [
                replace(seat, handle=new_seat_handle(record.handle), session_id=record.id)
                for seat in ((await self._with_seats(session)).seats or {}).values()
            ]

            async def begin(record: SessionRecord) -> Context | ContextSummary:
                forked = await self._forked(await self._open_sessions.reacquire(session), record.id, step)
                if isinstance(forked, Context):
                    with closing_on_failure(forked):
                        self._hold(record, forked, FIRST_FENCE)
                return forked

            (fork,) = await self._store.add([record], begin, seats)
        metrics.SESSIONS_CREATED.inc()
        self._open_sessions.add_seats(fork, seats)
        return fork

    async def _build(self, world: World, apps: tuple[str, ...]) -> None:
        """Build a world that has a spec, and the library that the apps need, if they are not built yet. Both take seconds of
        Python work.

        Raises:
            DiskFull: there is no space for them.
        """
        if world.spec is not None:
            await self._have_built(lambda: database(world, self._built).exists(), built, world, self._built)
        if LIBRARY in tables_for(apps):
            await self._have_built(lambda: library.database(self._built).exists(), library.built, self._built)

    async def _have_built(self, is_there: Callable[[], bool], build: Callable[[*Ts], Path], *arguments: *Ts) -> None:
        """Build a missing file in the builder process. Without a builder, the file is built when it is first needed."""
        if self.builder is None or is_there():
            return
        async with self._building:
            if not is_there():
                async with self.builder.turn() as turn:
                    with storing():
                        await turn.answer(build, *arguments)

    async def _forked(self, source: Session, fork_id: str, step: int | None) -> Context | ContextSummary:
        await source.wait_until_free()
        if source.durability == "memory" and step is None:
            self._memory.branch(source.context, fork_id)
            return source.summary()
        storage = self._storages[source.durability]
        back = 0 if step is None else journal.last_step(source.context) - step
        if source.file is not None and not is_short_work(source.context, steps=back, objects=True):
            return await in_thread(_fork_of_file, source.file[0], storage, fork_id, step)
        return await _offload(
            source, partial(storage.fork, step=step), source.context, fork_id, steps=back, objects=True
        )

    async def fork_pair(self, session: Session, step: int) -> tuple[Session, Session]:
        """Fork twice from just before the call that a fault hit in this step: the fault happens in the first fork, not in the
        second.

        Raises:
            BadRequest: no fault occurred in this step.
        """
        before = ledger.start_of(session.context, step)
        if before is None:
            known = ledger.steps_with_faults(session.context, limit=_STEPS_NAMED)
            steps = ", ".join(map(str, known)) or "none"
            more = f" (the last {_STEPS_NAMED})" if len(known) == _STEPS_NAMED else ""
            raise BadRequest(f"no fault landed in step {step}; steps where one did: {steps}{more}")
        with session.in_use():
            faulty = await self.fork(session, step=before)
            session = await self._open_sessions.reacquire(session)
            spared = await self.fork(session, step=before)
        with spared.context.transaction() as meta:
            schedule_store.mute(meta, before + 1)
        return faulty, spared

    async def snapshot(self, session: Session) -> SnapshotRecord:
        """Store a copy of the session's current state.

        Raises:
            LowOnDisk, DiskFull: there is no space for it.
        """
        self._capacity.check_disk(session.durability)
        record = SnapshotRecord(_new_id(SNAPSHOT_PREFIX), session.id, journal.last_step(session.context), wall_ms())
        if session.durability == "memory":
            await _offload(session, self._storages["memory"].snapshot, session.context, record.id, objects=True)
            self._memory_snapshots.setdefault(session.id, []).append(record)
        else:
            await self._store.add_snapshot(record, session.context)
        return record

    async def snapshots(self, session: Session) -> list[SnapshotRecord]:
        """Return the session's snapshots, oldest first."""
        if session.durability == "memory":
            return list(self._memory_snapshots.get(session.id, ()))
        return await self._records.snapshots(session.id)

    async def snapshots_by_id(self, session_id: str) -> list[SnapshotRecord]:
        """Return a session's snapshots, even if its context is damaged.

        Raises:
            UnknownSession, ExpiredSession, OwnedElsewhere: see `by_handle`.
        """
        record = await self._record_of(session_id)
        if record.durability == "memory":
            return await self.snapshots(await self.by_id(session_id))
        return await self._records.snapshots(record.id)

    async def restore_snapshot(self, session: Session, snapshot_id: str) -> None:
        """Restore one of the session's snapshots.

        Raises:
            BadRequest: the session has no such snapshot.
            ReadOnlySession: only the session's agent may change it.
        """
        session.check_changeable()
        with session.in_use():
            snapshots = await self.snapshots(session)
        session = await self._open_sessions.reacquire(session)
        _check_kept(snapshots, snapshot_id)
        await _offload(session, self._storages[session.durability].restore, session.context, snapshot_id, objects=True)

    # -- ending -----------------------------------------------------------------------------------------------------

    async def delete(self, session_id: str) -> str:
        """Delete a session, even an expired or damaged one. Returns its id.

        Raises:
            UnknownSession: there is no such session.
            OwnedElsewhere: another gateway has it.
            ReadOnlySession: only its agent may change it, and it is not over yet.
        """
        if (session := self._open_sessions.in_memory(session_id)) is not None:
            _check_over(session.record)
            await session.wait_until_free()
            await self._records.remove(session.id)
            self._open_sessions.delete_in_memory(session.id)
            for snapshot in self._memory_snapshots.pop(session.id, []):
                self._storages["memory"].delete_snapshot(snapshot.id)
            return session.id
        record = await self._record_of(session_id)
        _check_over(record)
        await self._open_sessions.claim(record)
        if (session := self._open_sessions.get(record)) is not None:
            await session.wait_until_free()
        await self._store.remove(record)
        return record.id

    async def remove_expired(self, *, keep_s: float) -> int:
        """Delete sessions that expired more than `keep_s` seconds ago; until then their address reports the expiry.

        Sessions that another gateway owns, or whose disk is unavailable, are left alone. In-memory sessions of a gateway that
        has ended are removed from the registry.
        """
        removed = await self._records.remove_lost(own=None if self.member is None else self.member.own.id)
        for record in await self._records.expired(wall_ms() - int(keep_s * 1000)):
            try:
                await self.delete(record.id)
            except (
                OwnedElsewhere,
                UnknownSession,
                ContextError,
                ReadOnlySession,
            ):  # ContextError: its disk is unavailable
                continue
            metrics.EXPIRED.inc()
            removed += 1
        return removed

    async def remove_abandoned(self) -> int:
        """Remove sessions and snapshots that killed processes left half created or half deleted. Returns how many.

        Raises:
            RegistryUnavailable: nothing is removed then.
        """
        for folder in (self._built, self._built / PARTS):
            clear_away(folder)
        return await self._store.remove_abandoned()

    # -- inside -----------------------------------------------------------------------------------------------------

    def _new_handle(self, name: str | None) -> str:
        if name is not None and not _NAME.fullmatch(name):
            raise BadRequest(
                f"{name!r} is not a session name; use up to 64 of a-z, 0-9, - and _, starting with a letter or digit"
            )
        # If several processes share one address, connections for this handle must reach this process.
        while not self._settings.share.owns(handle := secrets.token_urlsafe(18)):
            pass
        return handle

    def _schedule(self, wanted: object) -> Schedule | None:
        document = document_of(wanted)
        return None if document is None else read_schedule(document, {**load_apps(), **self.upstream_apps()})

    async def _record_of(self, session_id: str) -> SessionRecord:
        record = await self._retry_briefly(partial(self._records.by_id, session_id))
        if record is None:
            raise UnknownSession(f"there is no session {session_id!r}; GET /api/sessions lists those there are")
        return record

    def _hold(self, record: SessionRecord, context: Context, fence: int | None) -> None:
        if self.member is not None and fence is not None and record.durability == "durable":
            context.claim(fence)

    async def _with_seats(self, session: Session) -> Session:
        """Return the session after loading its seats."""
        if session.seats is None:
            with session.in_use():
                seats = await self._records.seats(session.id)
            self._open_sessions.add_seats(session, seats)
        return session

    async def _remake(self, record: SessionRecord) -> None:
        log.warning("context rebuilt from its world", session=record.id, world=record.world)
        world = load_world(record.world, own_folder(self._worlds))
        if record.durability == "memory":
            self._open_sessions.evict(record)
            self._storages["memory"].delete(record.id)
            self._open_sessions.adopt(record, self._fresh(record, world, None))
            self._open_sessions.damage.forget(record.id)
            return
        await self._put_in_place(record, lambda spare, fence: self._fresh(replace(record, id=spare), world, fence))

    async def _put_in_place(self, record: SessionRecord, make: Callable[[str, int | None], Context]) -> None:
        """Replace a durable session's context by one that `make` creates from a spare id and a fence, and reopen it."""
        fence = await self._open_sessions.claim(record)
        self._store.replace_context(record, _new_id(SESSION_PREFIX), lambda spare: make(spare, fence))
        context = self._durable.open(record.id)
        with closing_on_failure(context):
            self._hold(record, context, fence)
        self._open_sessions.adopt(record, context)
        self._open_sessions.damage.forget(record.id)

    def _from_snapshot(self, spare: str, snapshot_id: str, fence: int | None) -> Context:
        context = self._durable.create_from_snapshot(spare, snapshot_id)
        with closing_on_failure(context):
            if fence is not None:
                context.claim(fence)
        return context

    def _fresh(self, record: SessionRecord, world: World, fence: int | None) -> Context:
        """Create a session's initial context: the objects of its apps in its world, seen by the session's user."""
        start = self._beginning(ContextKind(world, database(world, self._built), record.apps, record.durability))
        return self._begin(record, self._prepared(record.id, record.durability, start), fence)

    def _beginning(self, kind: ContextKind) -> PageImage:
        """Return the page image of a world's database from which contexts of these apps start."""
        with storing(), start_for(kind.world, self._built, kind.apps) as start:
            return self._storages[kind.durability].initial_image(start)

    async def _make(self, session_id: str, durability: Durability, image: PageImage) -> None:
        """Create an unopened context from a page image. A file is written in a thread, because a large world takes long."""
        if durability == "memory":
            self._memory.store_image(session_id, image)
        else:
            await in_thread(self._durable.store_image, session_id, image)

    async def _prepare(self, session_id: str, kind: ContextKind) -> Context:
        """Create and open a context in the initial state of its world."""
        start = self._beginning(kind)
        if kind.durability == "memory":
            return self._prepared(session_id, "memory", start)
        making = asyncio.ensure_future(asyncio.to_thread(self._prepared, session_id, kind.durability, start))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            with suppress(Exception):
                (await making).close()
            raise

    def _prepared(self, session_id: str, durability: Durability, start: PageImage) -> Context:
        self._storages[durability].store_image(session_id, start)
        return self._storages[durability].open_first(session_id)

    def _begin(self, record: SessionRecord, context: Context, fence: int | None) -> Context:
        """Turn a context in its world's initial state into the session's context."""
        versions = {name: app.version for name, app in load_apps(record.apps).items()}
        if LIBRARY in context.tables:
            versions[LIBRARY] = shared().digest
        initialize(context, seed=record.seed, clock=record.clock, versions=versions)
        with closing_on_failure(context):
            self._hold(record, context, fence)
            _hand_over(record, context)
        return context

    def _remove_warm(self, session_id: str, kind: ContextKind) -> None:
        self._storages[kind.durability].delete(session_id)


async def _offload(
    session: Session, work: Callable[[*Ts], T], *arguments: *Ts, steps: int = 0, objects: bool = False
) -> T:
    """Run work on a session's context: inline if it is short (see `is_short_work`), otherwise exclusively in a thread."""
    await session.wait_until_free()
    if is_short_work(session.context, steps=steps, objects=objects):
        return work(*arguments)
    async with session.exclusive():
        return await in_thread(work, *arguments)


def _fork_of_file(path: str, storage: Storage, fork_id: str, step: int | None) -> Context:
    source = open_file_read_only(path)
    try:
        return storage.fork(source, fork_id, step=step)
    finally:
        source.close()


def _hand_over(record: SessionRecord, context: Context) -> None:
    """Assign the new context to the session's user. It belongs to the world's owner at first."""
    if record.user is not None and record.user != context.accounts.owner:
        with context.transaction():
            context.accounts.belong_to(record.user)


def _put_state(context: Context, wanted: object, mode: state.LoadMode) -> int:
    with context.step("state", "state", {"mode": mode, "state": wanted}) as step:
        state.load(context, wanted, mode)
    return step.number


def _check_over(record: SessionRecord) -> None:
    if record.bounds is not None and not record.bounds.over:
        raise ReadOnlySession(record.id)


def _check_kept(snapshots: list[SnapshotRecord], snapshot_id: str) -> None:
    if snapshot_id not in {s.id for s in snapshots}:
        known = ", ".join(s.id for s in snapshots) or "none yet; POST …/snapshots makes one"
        raise BadRequest(f"this session has no snapshot {snapshot_id!r}; it has: {known}")


_SOON_S, _CHECK_S = 1.0, 0.02  # seconds to wait for a row that is being written, and between two looks
_ENDED_LOOK_S, _ENDED_ASK_S = 0.5, 5.0  # how often an open stream looks at its session, and asks the registry


def _new_id(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(8)}"
