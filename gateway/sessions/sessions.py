"""All sessions of a gateway: making, finding, copying, putting back and ending them."""

from __future__ import annotations

import asyncio
import math
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from typing_extensions import TypeVarTuple

from soundstage.contexts.apps import tables_for
from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.clock import CLOCK_MODES, END_MS, Clock, ClockMode, wall_ms
from soundstage.contexts.engine.keepers import DurableKeeper, Keeper, MemoryKeeper, begin, look_at
from soundstage.contexts.engine.library import NAME as LIBRARY
from soundstage.contexts.engine.library import shared
from soundstage.contexts.engine.pages import Moment
from soundstage.contexts.engine.problems import (
    ContextBusy,
    ContextDamaged,
    ContextError,
    ContextTaken,
    DiskFull,
    SnapshotDamaged,
    storing,
)
from soundstage.contexts.engine.store import Context
from soundstage.gateway import metrics
from soundstage.gateway.faults import kept, ledger
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
from soundstage.gateway.sessions.aside import in_thread, is_soon_done
from soundstage.gateway.sessions.held import FIRST_FENCE, Held
from soundstage.gateway.sessions.making import SESSION, SNAPSHOT, Making, closing_on_failure
from soundstage.gateway.sessions.pending import Pending
from soundstage.gateway.sessions.problems import (
    BadRequest,
    Bounded,
    Draining,
    ExpiredSession,
    HeldElsewhere,
    UnknownSession,
)
from soundstage.gateway.sessions.ready import Kind, Ready
from soundstage.gateway.sessions.room import Room
from soundstage.gateway.sessions.seats import new_seat, owned_apps
from soundstage.gateway.sessions.session import Session, Told
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
class ClockChange:
    """A clock as somebody asked for it; what is None stays or takes the default. Times in milliseconds."""

    mode: ClockMode | None = None
    at_ms: int | None = None
    tick_ms: int | None = None
    scale: float | None = None

    def as_arguments(self) -> dict[str, Any]:
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True)
class NewSession:
    """What a new session is to be. `ttl_s` is its time to live in seconds; `apps` and `upstreams` None mean all. `user` is the
    person of the world whom it belongs to; None takes the world's own. `server` is how its shared address introduces itself.
    `shown` are the tools that its addresses have, by their names at the shared one; None means all. `tools` None leaves what is
    listed to `listing_of`. `unavailable` says whether tools that nothing answers are listed. `added` are objects ({app: {entity:
    [objects]}}) that are put in, as a step, before anything else happens.

    `world` None takes the gateway's. `faults` is a schedule's data or the name of a preset; None takes the gateway's, `off`
    none.
    """

    name: str | None = None
    world: str | None = None
    user: str | None = None
    server: Introduction = NEUTRAL
    apps: tuple[str, ...] | None = None
    seed: int = 0
    clock: ClockChange = ClockChange()
    durability: Durability = "durable"
    ttl_s: float | None = None
    faults: object = None
    tools: ToolList | None = "all"
    upstreams: tuple[str, ...] | None = None
    bounds: Bounds | None = None
    shown: tuple[str, ...] | None = None
    unavailable: Unavailable = "hide"
    added: Mapping[str, Any] | None = None


def listing_of(apps: Iterable[str]) -> ToolList:
    """What a session with these apps lists where nobody has said it."""
    return "search" if sum(len(load_app(app).tools) for app in apps) > MOST_LISTED else "all"


class Sessions:
    """The sessions of one registry, as far as this process has to do with them.

    Everything that touches a context runs in the event loop without giving it up, so no two calls of this process meet
    inside one context. With `joins` the process is a gateway among others, and has each session that it opens to itself;
    without, it is a guest beside one. `volume` names the disk of its contexts. `apps_outside` are the upstreams as fault
    schedules may name them, `builder` a process that builds worlds while calls go on; without one they are built here.
    `used_up` is told of a session with bounds whose agent asks on after its last call.
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
        durable = DurableKeeper(settings.data, max_bytes=settings.max_session_bytes)
        memory = MemoryKeeper(max_bytes=settings.max_session_bytes)
        self._durable, self._memory = durable, memory
        self._keepers: dict[Durability, Keeper] = {"durable": durable, "memory": memory}
        self._held = Held(durable, memory, self.member, max_open=settings.max_open)
        self._room = Room(settings, self._records, lambda: self.remove_expired(keep_s=0))
        pending = Pending(settings.data)
        self._making = Making(self._records, durable, memory, self._held, self._room, self.member, pending)
        self._ready = Ready(
            settings.warm,
            make=self._prepare,
            remove=self._remove_ready,
            new_id=lambda: _new_id(SESSION),
            pending=pending,
        )
        self._memory_snapshots: dict[str, list[SnapshotRecord]] = {}
        self.builder: Readers | None = None
        self._building = asyncio.Lock()
        self.apps_outside: Callable[[], Mapping[str, App]] = dict
        self.used_up: Callable[[Session], None] = lambda session: None

    async def start(self) -> None:
        await self.database.connect()
        if self.member is not None:
            await self.member.join()
        await self.clear_away()

    async def drain(self) -> None:
        """Make no more sessions, and let other gateways have those that there are."""
        if self.member is not None:
            await self.member.drain()

    async def stop(self) -> None:
        """Close every context, which writes its WAL into its file, and give the leases back."""
        await self._ready.close()
        in_memory = self._held.close_all()
        if self.member is not None:
            await self.member.leave()
        else:
            for session_id in in_memory:
                await self._records.remove(session_id)
        await self.database.close()

    @property
    def draining(self) -> bool:
        """Whether this gateway is about to end."""
        return self.member is not None and self.member.draining

    @property
    def open_count(self) -> int:
        """How many contexts this process holds open."""
        return len(self._held)

    @property
    def ready_count(self) -> int:
        """How many contexts are kept ready for sessions that are still to be asked for."""
        return len(self._ready)

    # -- making and finding -----------------------------------------------------------------------------------------

    async def create(self, wanted: NewSession) -> Session:
        """Make a session.

        Raises:
            See `create_many`.
        """
        (session,) = await self.create_many(wanted, 1)
        return session

    async def create_many(self, wanted: NewSession, count: int) -> list[Session]:
        """Make so many sessions alike, each with an address of its own; all of them or none.

        Raises:
            BadRequest: for a bad name or clock, for a user who is nobody of the world or lacks an account, and for one name for
                several sessions.
            NameTaken: when a session has the name.
            UnknownWorld, UnknownApp: naming those there are.
            BrokenWorld: for a world of one's own whose sources have mistakes.
            ScheduleMistakes: for a fault schedule that cannot be.
            StateError: for objects that cannot be added.
            Draining: when this gateway is about to end.
            TooManySessions, LowOnDisk, DiskFull: when there is no room for it.
        """
        if self.draining:
            raise Draining
        if count > 1 and wanted.name is not None:
            raise BadRequest("name: it leads to one session; several made at once have none")
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
        clock = _first_clock(wanted.clock, world.epoch_ms)
        _check_room(clock, expires and expires - now)
        record = SessionRecord(
            id=_new_id(SESSION),
            handle=handle,
            name=wanted.name,
            world=world.name,
            apps=apps,
            seed=wanted.seed,
            clock=clock,
            created_ms=now,
            expires_ms=expires,
            tools=wanted.tools or listing_of(apps),
            upstreams=wanted.upstreams,
            durability=wanted.durability,
            volume=self.volume,
            user=wanted.user or world.user,
            server=wanted.server,
            bounds=wanted.bounds,
            shown=wanted.shown,
            unavailable=wanted.unavailable,
        )

        kind = Kind(world, database(world, self._built), apps, wanted.durability)
        ready = {made.id: made for _ in range(count) if (made := self._ready.take(kind)) is not None}
        ids = [*ready, *(_new_id(SESSION) for _ in range(count - len(ready)))]
        handles = [handle, *(self._new_handle(None) for _ in range(count - 1))]

        def start(context: Context, record: SessionRecord) -> Told:
            self._begin(record, context, FIRST_FENCE)
            with closing_on_failure(context):
                if wanted.added:
                    _put_state(context, wanted.added, "add")
                if schedule is not None:
                    with context.transaction() as meta:
                        kept.put(context, meta, schedule)
                return Told.by(context)

        async def begin(record: SessionRecord) -> Context | Told:
            if (made := ready.pop(record.id, None)) is not None:
                announced.push(made.announced)
                start(made.context, record)
                return made.context
            keeper = self._keepers[kind.durability]
            moment, told = keeper.begun(beginning, partial(start, record=record))
            await self._make(record.id, kind.durability, moment)
            return told

        beginning = self._beginning(kind)
        records = [replace(record, id=one, handle=of_it) for one, of_it in zip(ids, handles, strict=True)]
        with ExitStack() as announced:  # of those that are taken, until they are the session's or gone
            try:
                sessions = await self._making.sessions(records, begin)
            finally:
                for unused in ready.values():
                    self._ready.put_back(kind, unused)
        metrics.SESSIONS_CREATED.inc(count)
        for session in sessions:
            self._held.seat(session, ())
        return sessions

    def live(self, handle: str, *, or_name: bool = False) -> Session | None:
        """The session behind a handle, its own or a seat's (or of this name), if this process has it open: the short way of
        every call.

        Raises:
            ExpiredSession: when its time is over, or its bounds are reached.
        """
        session = self._held.live(handle, or_name=or_name)
        if session is not None and session.record.bounds is not None:
            if session.calls_left == 0:
                self.used_up(session)
            session.check_open()
            session.last_asked = session.last_used
        return session

    async def by_handle(self, handle: str, *, or_name: bool = False) -> Session:
        """The session behind a handle, its own or a seat's, opened if need be. With `or_name` a session's name leads to it, too:
        names can be guessed, so that is for those who need no credential.

        Raises:
            UnknownSession, ExpiredSession: never a fresh session instead.
            HeldElsewhere: when another gateway has it.
            ContextError: when its context cannot be opened.
        """
        if (session := self.live(handle, or_name=or_name)) is not None:
            await session.free()
            return session
        if (unused := self._held.unused(handle)) is not None:
            found: tuple[SessionRecord, Seat | None] | None = unused, None
        else:
            found = await self._patiently(partial(self._behind, handle, or_name))
        if found is None:
            raise UnknownSession("no session has this handle; it was deleted, or the address was mistyped")
        record, seat = found
        if record.bounds is not None and record.bounds.over:
            raise ExpiredSession(record.bounds.closes_ms)
        session = await self._with_seats(await self._held.open(record))
        if seat is not None:
            self._held.seat(session, (seat,))
        session.check_open()
        if session.record.bounds is not None:
            session.last_asked = time.monotonic()
        return session

    async def _behind(self, handle: str, or_name: bool) -> tuple[SessionRecord, Seat | None] | None:
        """The session behind a handle as the registry has it, with the seat where the handle is one's."""
        record, seat = await self._records.by_handle(handle), None
        if record is None and (seat := await self._records.seat(handle)) is not None:
            record = await self._records.by_id(seat.session_id)
        if record is None and or_name:
            record = await self._records.by_name(handle)
        return None if record is None else (record, seat)

    async def _patiently(self, look: Callable[[], Awaitable[T | None]]) -> T | None:
        """What is found in the registry, where its row may be written only in a moment."""
        found = await look()
        until = time.monotonic() + _SOON_S
        while found is None and self.member is not None and self.member.is_new and time.monotonic() < until:
            await asyncio.sleep(_LOOK_S)
            found = await look()
        return found

    async def by_id(self, session_id: str) -> Session:
        """The session with this id or name, opened if need be.

        Raises:
            UnknownSession, ExpiredSession, HeldElsewhere, ContextError: see `by_handle`.
        """
        if (session := self._held.in_memory(session_id)) is not None:
            session = self._held.live(session.record.handle) or session
        else:
            session = await self._with_seats(await self._held.open(await self._record_of(session_id)))
        await session.free()
        return session

    def check(self, wanted: NewSession) -> tuple[str, ...]:
        """The apps of a session that is to be made; what can be told to be wrong with it at once is.

        Raises:
            BadRequest, UnknownWorld, UnknownApp: see `create`.
        """
        self._new_handle(wanted.name)
        load_world(self._settings.world if wanted.world is None else wanted.world, own_folder(self._worlds))
        return tuple(load_apps(wanted.apps))

    async def find(self, name: str) -> Session | None:
        """The session of this name, opened if need be; None where there is none.

        Raises:
            ExpiredSession, HeldElsewhere, ContextError: see `by_handle`.
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
        """The session of this name, made as `otherwise` says where it is missing."""
        if (session := await self.find(name)) is not None:
            return session
        try:
            return await self.create(otherwise)
        except NameTaken:
            return await self.by_id(name)  # somebody else has made it at the same moment

    async def page(self, *, offset: int, limit: int) -> tuple[list[SessionRecord], int]:
        """Some sessions, the newest first, and how many there are in all."""
        return await self._records.sessions(offset=offset, limit=limit), await self._records.count()

    async def count(self) -> int:
        """How many sessions there are, expired ones included."""
        return await self._records.count()

    def look(self, record: SessionRecord) -> AbstractContextManager[Context]:
        """A session's context for reading alone, whichever gateway has it. See `Held.look`."""
        return self._held.look(record)

    def behind(self, error: Exception, session_id: str) -> ContextError | None:
        """What an error means that was raised while this session was used; see `Damage.behind`."""
        return self._held.behind(error, session_id)

    def what_is_wrong(self, record: SessionRecord) -> str | None:
        """Why a session's context cannot be used, as far as that is known without opening it."""
        return self._held.what_is_wrong(record)

    # -- sessions with bounds -----------------------------------------------------------------------------------

    async def end_bounded(self, session: Session, *, keep_s: float) -> None:
        """Close the addresses of a session with bounds for good; it can be looked into for `keep_s` seconds more."""
        assert session.record.bounds is not None
        now = wall_ms()
        bounds = replace(session.record.bounds, over=True, closes_ms=min(now, session.record.bounds.closes_ms))
        expires_ms = now + int(keep_s * 1000)
        session.record = replace(
            session.record, bounds=bounds
        )  # at once here; how long it is kept, when that is written
        with session.in_use():
            await self._records.rebound(session.id, bounds, expires_ms)
            session.record = replace(session.record, expires_ms=expires_ms)

    def close(self, session: Session) -> None:
        """Close a durable session's context; whoever asks for it opens it anew."""
        self._held.close(session)

    def asked_since(self, since: float) -> list[str]:
        """The sessions with bounds that are open here and whose agents have asked for something since then, by this process's
        monotonic clock.
        """
        return [s.id for s in self._held.all_open() if s.record.bounds is not None and s.last_asked >= since]

    # -- seats ------------------------------------------------------------------------------------------------------

    async def take_seat(self, session: Session, user: str) -> Seat:
        """A further handle into the session, as another person of its world.

        Raises:
            BadRequest: for nobody of this world, and for somebody without an account in the session's apps.
            Bounded: only the session's agent may change it.
        """
        session.check_changeable()
        seat = new_seat(session, user)
        with session.in_use():
            await self._records.add_seat(seat)
        self._held.seat(session, (seat,))
        return seat

    # -- one gateway among several ----------------------------------------------------------------------------------

    async def let_go(self, session: Session) -> bool:
        """Give a session back so that another gateway can take it. False while it is in use, or cannot move."""
        return await self._held.let_go(session)

    async def is_there(self, gateway: Peer) -> bool:
        """Whether a gateway has said lately that it runs."""
        if self.member is None:
            return False
        try:
            return await self.member.leases.is_there(gateway.id)
        except RegistryUnavailable:
            return True  # nobody can say otherwise, and its answer may still come

    def owner_is_gone(self, held: HeldElsewhere) -> None:
        """Take note that the gateway which had a session does not listen any more."""
        self._held.owner_is_gone(held)

    def drop_taken(self, context: Context) -> None:
        """Close the session of a context that another gateway has been found to have taken over."""
        self._held.drop_taken(context)

    async def close_idle(self, idle_s: float) -> int:
        """Close durable contexts that nobody has used for so long; the next call opens them again."""
        return await self._held.close_idle(idle_s)

    # -- changing ---------------------------------------------------------------------------------------------------

    def put_state(self, session: Session, wanted: object, mode: state.LoadMode) -> int:
        """Load state as a step of its own.

        Raises:
            StateError, ContextFull, DiskFull: nothing has changed then.
            Bounded: only the session's agent may change it.
        """
        session.check_changeable()
        return _put_state(session.context, wanted, mode)

    def set_clock(self, session: Session, change: ClockChange) -> int:
        """Set the session's clock as a step of its own.

        Raises:
            BadRequest: for a clock that cannot run, or would soon run out.
            Bounded: only the session's agent may change it.
        """
        session.check_changeable()
        _check_clock(change)
        expires = session.record.expires_ms
        _check_room(_changed(session.context.read_meta().clock, change), expires and expires - wall_ms())
        arguments = change.as_arguments()
        with session.context.step("clock", "clock", arguments) as step:
            session.context.set_clock(**arguments)
        return step.number

    def set_faults(self, session: Session, wanted: object) -> int:
        """Put a fault schedule (its data, or a preset's name) in force as a step of its own; None or `off` ends it.

        Raises:
            ScheduleMistakes: the old schedule stays in force then.
            Bounded: only the session's agent may change it.
        """
        session.check_changeable()
        schedule = self._schedule(wanted)
        arguments = {"schedule": None if schedule is None else schedule.document}
        with session.context.step("faults", "faults", arguments) as step:
            kept.put(session.context, step.meta, schedule)
        return step.number

    async def reset(self, session: Session) -> None:
        """Put a session back to its start. A damaged context is made anew from its world.

        Raises:
            Bounded: only the session's agent may change it.
        """
        session.check_changeable()
        if self._held.damage.of(session.id) is None:
            try:
                await self._rewind(session, 0)
            except Exception as error:
                if not isinstance(problem := session.problem(error), ContextDamaged):
                    raise problem or error from None
            else:
                return
        await self._remake(session.record)

    async def reset_by_id(self, session_id: str) -> Session:
        """Reset a session, also one whose context cannot be opened any more."""
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
        """Put a session back to the moment after `step`; later steps are gone.

        Raises:
            ContextError: for a step that never was.
            Bounded: only the session's agent may change it.
        """
        session.check_changeable()
        await self._rewind(session, step)

    async def _rewind(self, session: Session, step: int) -> None:
        await session.free()
        steps = journal.last_step(session.context) - step
        await _aside(session, journal.rewind, session.context, step, steps=steps)

    async def restore_by_id(self, session_id: str, snapshot_id: str) -> Session:
        """Put a session back to one of its snapshots, also one whose context cannot be opened any more.

        Raises:
            BadRequest: when the session has no such snapshot.
            SnapshotDamaged: nothing has changed then.
        """
        try:
            session = await self.by_id(session_id)
            if self._held.damage.of(session.id) is None:
                await self.restore_snapshot(session, snapshot_id)
                return session
        except (ContextTaken, ContextBusy, DiskFull, SnapshotDamaged):
            raise
        except ContextError:
            pass
        record = await self._record_of(session_id)
        if record.bounds is not None:
            raise Bounded(record.id)
        _check_kept(await self._records.snapshots(record.id), snapshot_id)
        log.warning("context made anew from a snapshot", session=record.id, snapshot=snapshot_id)
        await self._put_in_place(record, lambda spare, fence: self._from_snapshot(spare, snapshot_id, fence))
        return await self.by_id(session_id)

    async def fork(self, session: Session, *, step: int | None = None, name: str | None = None) -> Session:
        """A new session equal to this one now, or as it was after `step`. Its seats are the same people's, with new handles.

        Raises:
            ContextError: for a step that never was.
            BadRequest, NameTaken: for the name.
            Draining: when this gateway is about to end.
            TooManySessions, LowOnDisk, DiskFull: when there is no room for it.
        """
        if self.draining:
            raise Draining
        if step is not None:
            journal.check_step(session.context, step)
        record = replace(
            session.record,
            id=_new_id(SESSION),
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

            async def begin(record: SessionRecord) -> Context | Told:
                forked = await self._forked(await self._held.still(session), record.id, step)
                if isinstance(forked, Context):
                    with closing_on_failure(forked):
                        self._hold(record, forked, FIRST_FENCE)
                return forked

            (fork,) = await self._making.sessions([record], begin, seats)
        metrics.SESSIONS_CREATED.inc()
        self._held.seat(fork, seats)
        return fork

    async def _build(self, world: World, apps: tuple[str, ...]) -> None:
        """Have built what is seconds of Python's work, where it is not yet: a world that has a spec, and the library that the
        session's apps tell.

        Raises:
            DiskFull: when there is no room for it.
        """
        if world.spec is not None:
            await self._have_built(lambda: database(world, self._built).exists(), built, world, self._built)
        if LIBRARY in tables_for(apps):
            await self._have_built(lambda: library.database(self._built).exists(), library.built, self._built)

    async def _have_built(self, is_there: Callable[[], bool], build: Callable[[*Ts], Path], *arguments: *Ts) -> None:
        """Have a file built in the builder's process, where it is not there; without one it is built when it is needed."""
        if self.builder is None or is_there():
            return
        async with self._building:
            if not is_there():
                async with self.builder.turn() as turn:
                    with storing():
                        await turn.answer(build, *arguments)

    async def _forked(self, source: Session, fork_id: str, step: int | None) -> Context | Told:
        await source.free()
        if source.durability == "memory" and step is None:
            self._memory.branch(source.context, fork_id)
            return source.told()
        keeper = self._keepers[source.durability]
        back = 0 if step is None else journal.last_step(source.context) - step
        if source.file is not None and not is_soon_done(source.context, steps=back, objects=True):
            return await in_thread(_fork_of_file, source.file[0], keeper, fork_id, step)
        return await _aside(source, partial(keeper.fork, step=step), source.context, fork_id, steps=back, objects=True)

    async def pair(self, session: Session, step: int) -> tuple[Session, Session]:
        """Two forks from just before the call that a fault struck in this step: one where it will strike, one where not.

        Raises:
            BadRequest: when no fault landed in this step.
        """
        before = ledger.start_of(session.context, step)
        if before is None:
            known = ledger.steps_with_faults(session.context, limit=_STEPS_NAMED)
            told = ", ".join(map(str, known)) or "none"
            more = f" (the last {_STEPS_NAMED})" if len(known) == _STEPS_NAMED else ""
            raise BadRequest(f"no fault landed in step {step}; steps where one did: {told}{more}")
        with session.in_use():
            struck = await self.fork(session, step=before)
            session = await self._held.still(session)
            spared = await self.fork(session, step=before)
        with spared.context.transaction() as meta:
            kept.mute(meta, before + 1)
        return struck, spared

    async def snapshot(self, session: Session) -> SnapshotRecord:
        """Keep a copy of the session as it is now.

        Raises:
            LowOnDisk, DiskFull: when there is no room for it.
        """
        self._room.for_copy(session.durability)
        record = SnapshotRecord(_new_id(SNAPSHOT), session.id, journal.last_step(session.context), wall_ms())
        if session.durability == "memory":
            await _aside(session, self._keepers["memory"].snapshot, session.context, record.id, objects=True)
            self._memory_snapshots.setdefault(session.id, []).append(record)
        else:
            await self._making.snapshot(record, session.context)
        return record

    async def snapshots(self, session: Session) -> list[SnapshotRecord]:
        """The session's snapshots, the oldest first."""
        if session.durability == "memory":
            return list(self._memory_snapshots.get(session.id, ()))
        return await self._records.snapshots(session.id)

    async def snapshots_by_id(self, session_id: str) -> list[SnapshotRecord]:
        """A session's snapshots, also those of one whose context is damaged.

        Raises:
            UnknownSession, ExpiredSession, HeldElsewhere: see `by_handle`.
        """
        record = await self._record_of(session_id)
        if record.durability == "memory":
            return await self.snapshots(await self.by_id(session_id))
        return await self._records.snapshots(record.id)

    async def restore_snapshot(self, session: Session, snapshot_id: str) -> None:
        """Put a session back to one of its snapshots.

        Raises:
            BadRequest: when the session has no such snapshot.
            Bounded: only the session's agent may change it.
        """
        session.check_changeable()
        with session.in_use():
            kept = await self.snapshots(session)
        session = await self._held.still(session)
        _check_kept(kept, snapshot_id)
        await _aside(session, self._keepers[session.durability].restore, session.context, snapshot_id, objects=True)

    # -- ending -----------------------------------------------------------------------------------------------------

    async def delete(self, session_id: str) -> str:
        """End a session for good, also an expired or damaged one. Returns its id.

        Raises:
            UnknownSession: when there is none.
            HeldElsewhere: when another gateway has it.
            Bounded: only its agent may change it, and it is not over yet.
        """
        if (session := self._held.in_memory(session_id)) is not None:
            _check_over(session.record)
            await session.free()
            await self._records.remove(session.id)
            self._held.forget(session.id)
            for snapshot in self._memory_snapshots.pop(session.id, []):
                self._keepers["memory"].delete_snapshot(snapshot.id)
            return session.id
        record = await self._record_of(session_id)
        _check_over(record)
        await self._held.claim(record)
        if (session := self._held.opened(record)) is not None:
            await session.free()
        await self._making.end(record)
        return record.id

    async def remove_expired(self, *, keep_s: float) -> int:
        """Delete sessions whose time ended more than `keep_s` seconds ago; until then their address says so.

        Those that another gateway has, or whose disk is away, are left; those that were in the memory of one that has ended
        are forgotten.
        """
        removed = await self._records.remove_lost()
        for record in await self._records.expired(wall_ms() - int(keep_s * 1000)):
            try:
                await self.delete(record.id)
            except (HeldElsewhere, UnknownSession, ContextError, Bounded):  # the last: it is on a disk that is away
                continue
            metrics.EXPIRED.inc()
            removed += 1
        return removed

    async def clear_away(self) -> int:
        """Remove what killed processes have left half made or half deleted. Returns how many sessions and snapshots.

        Raises:
            RegistryUnavailable: nothing is removed then.
        """
        for folder in (self._built, self._built / PARTS):
            clear_away(folder)
        return await self._making.clear_away()

    # -- inside -----------------------------------------------------------------------------------------------------

    def _new_handle(self, name: str | None) -> str:
        if name is not None and not _NAME.fullmatch(name):
            raise BadRequest(
                f"{name!r} is no session name; use up to 64 of a-z, 0-9, - and _, starting with a letter or digit"
            )
        # Connections for it are to come to this process, where several share one address.
        while not self._settings.share.owns(handle := secrets.token_urlsafe(18)):
            pass
        return handle

    def _schedule(self, wanted: object) -> Schedule | None:
        document = document_of(wanted)
        return None if document is None else read_schedule(document, {**load_apps(), **self.apps_outside()})

    async def _record_of(self, session_id: str) -> SessionRecord:
        record = await self._patiently(partial(self._records.by_id, session_id))
        if record is None:
            raise UnknownSession(f"there is no session {session_id!r}; GET /api/sessions lists those there are")
        return record

    def _hold(self, record: SessionRecord, context: Context, fence: int | None) -> None:
        if self.member is not None and fence is not None and record.durability == "durable":
            context.hold(fence)

    async def _with_seats(self, session: Session) -> Session:
        """The session, with its seats known here."""
        if session.seats is None:
            with session.in_use():
                seats = await self._records.seats(session.id)
            self._held.seat(session, seats)
        return session

    async def _remake(self, record: SessionRecord) -> None:
        log.warning("context made anew from its world", session=record.id, world=record.world)
        world = load_world(record.world, own_folder(self._worlds))
        if record.durability == "memory":
            self._held.drop(record)
            self._keepers["memory"].delete(record.id)
            self._held.adopt(record, self._fresh(record, world, None))
            self._held.damage.mended(record.id)
            return
        await self._put_in_place(record, lambda spare, fence: self._fresh(replace(record, id=spare), world, fence))

    async def _put_in_place(self, record: SessionRecord, make: Callable[[str, int | None], Context]) -> None:
        """Open a durable session anew with a context that `make` makes, under the id of a spare and this gateway's fence."""
        fence = await self._held.claim(record)
        self._making.remake(record, _new_id(SESSION), lambda spare: make(spare, fence))
        context = self._durable.open(record.id)
        with closing_on_failure(context):
            self._hold(record, context, fence)
        self._held.adopt(record, context)
        self._held.damage.mended(record.id)

    def _from_snapshot(self, spare: str, snapshot_id: str, fence: int | None) -> Context:
        context = self._durable.from_snapshot(spare, snapshot_id)
        with closing_on_failure(context):
            if fence is not None:
                context.hold(fence)
        return context

    def _fresh(self, record: SessionRecord, world: World, fence: int | None) -> Context:
        """The context with which a session starts: its world's objects, of its apps alone, as the person's to whom it belongs."""
        start = self._beginning(Kind(world, database(world, self._built), record.apps, record.durability))
        return self._begin(record, self._prepared(record.id, record.durability, start), fence)

    def _beginning(self, kind: Kind) -> Moment:
        """A world's database, as contexts of these apps start from it."""
        with storing(), start_for(kind.world, self._built, kind.apps) as start:
            return self._keepers[kind.durability].beginning(start)

    async def _make(self, session_id: str, durability: Durability, moment: Moment) -> None:
        """A new context as it was at a moment, opened by nobody. A file is made in a thread: a large world takes long."""
        if durability == "memory":
            self._memory.make(session_id, moment)
        else:
            await in_thread(self._durable.make, session_id, moment)

    async def _prepare(self, session_id: str, kind: Kind) -> Context:
        """A context as its world has it, open."""
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

    def _prepared(self, session_id: str, durability: Durability, start: Moment) -> Context:
        self._keepers[durability].make(session_id, start)
        return self._keepers[durability].open_first(session_id)

    def _begin(self, record: SessionRecord, context: Context, fence: int | None) -> Context:
        """Make a context that is as its world has it the session's."""
        versions = {name: app.version for name, app in load_apps(record.apps).items()}
        if LIBRARY in context.tables:
            versions[LIBRARY] = shared().digest
        begin(context, seed=record.seed, clock=record.clock, versions=versions)
        with closing_on_failure(context):
            self._hold(record, context, fence)
            _hand_over(record, context)
        return context

    def _remove_ready(self, session_id: str, kind: Kind) -> None:
        self._keepers[kind.durability].delete(session_id)


async def _aside(
    session: Session, work: Callable[[*Ts], T], *arguments: *Ts, steps: int = 0, objects: bool = False
) -> T:
    """Do work on a session's context: at once if it is soon done, or aside, with the context to itself. See `is_soon_done`."""
    await session.free()
    if is_soon_done(session.context, steps=steps, objects=objects):
        return work(*arguments)
    async with session.alone():
        return await in_thread(work, *arguments)


def _fork_of_file(path: str, keeper: Keeper, fork_id: str, step: int | None) -> Context:
    source = look_at(path)
    try:
        return keeper.fork(source, fork_id, step=step)
    finally:
        source.close()


def _hand_over(record: SessionRecord, context: Context) -> None:
    """Make a fresh context, which is its world's owner's, that of whom the session belongs to."""
    if record.user is not None and record.user != context.accounts.owner:
        with context.transaction():
            context.accounts.belong_to(record.user)


def _put_state(context: Context, wanted: object, mode: state.LoadMode) -> int:
    with context.step("state", "state", {"mode": mode, "state": wanted}) as step:
        state.load(context, wanted, mode)
    return step.number


def _check_over(record: SessionRecord) -> None:
    if record.bounds is not None and not record.bounds.over:
        raise Bounded(record.id)


def _check_kept(kept: list[SnapshotRecord], snapshot_id: str) -> None:
    if snapshot_id not in {s.id for s in kept}:
        known = ", ".join(s.id for s in kept) or "none yet; POST …/snapshots makes one"
        raise BadRequest(f"this session has no snapshot {snapshot_id!r}; it has: {known}")


_SOON_S, _LOOK_S = 1.0, 0.02  # how long a row that is being written is waited for, and how often it is looked for
_CALLS = 100_000  # that a ticking clock has to have room for
_DAY_MS = 86_400_000
_LASTS_MS = 30 * _DAY_MS  # that a scaled clock has to have room for in a session that never expires


def _check_clock(change: ClockChange) -> None:
    if change.mode is not None and change.mode not in CLOCK_MODES:
        raise BadRequest(f"unknown clock mode {change.mode!r}; known: {', '.join(CLOCK_MODES)}")
    if change.tick_ms is not None and change.tick_ms < 0:
        raise BadRequest("a clock's tick must be 0 ms or more")
    if change.scale is not None and not 0 <= change.scale <= 1e6:
        raise BadRequest("a clock's scale must be between 0 and 1,000,000")
    if change.at_ms is not None and not 0 <= change.at_ms < END_MS:
        raise BadRequest("a clock's time must be between 1970 and the year 9999, in which clocks stop")


def _first_clock(change: ClockChange, epoch_ms: int) -> Clock:
    _check_clock(change)
    return _changed(Clock("tick", epoch_ms), change)


def _changed(clock: Clock, change: ClockChange) -> Clock:
    return Clock(
        change.mode or clock.mode,
        clock.now_ms() if change.at_ms is None else change.at_ms,
        clock.tick_ms if change.tick_ms is None else change.tick_ms,
        clock.scale if change.scale is None else change.scale,
        wall_ms(),
    )


def _check_room(clock: Clock, lasts_ms: int | None) -> None:
    """Whether a clock can run for as long as its session may go on (`lasts_ms` of wall time, where that is known).

    Raises:
        BadRequest: naming the most that can be.
    """
    room = END_MS - clock.at_ms
    if clock.mode == "tick" and clock.tick_ms * _CALLS > room:
        raise BadRequest(
            f"clock.tick_ms: with {clock.tick_ms} ms a call the clock would reach the year 9999, where it stops, within "
            f"{_CALLS:,} calls; from there on it can be at most {room // _CALLS} ms, or start with an earlier `at`"
        )
    lasts = _LASTS_MS if lasts_ms is None else max(lasts_ms, 0)
    if clock.mode == "scaled" and clock.scale * lasts > room:
        days = math.ceil(lasts / _DAY_MS)
        raise BadRequest(
            f"clock.scale: {clock.scale:g} times as fast as the wall clock it would reach the year 9999, where it stops, "
            f"within {days} days of running; it can be at most {room / max(lasts, 1):.0f}, or start with an earlier `at`"
        )


def _new_id(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(8)}"
