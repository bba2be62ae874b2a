"""All sessions of a gateway: making, finding, copying, putting back and ending them."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contexts.engine import journal, state
from contexts.engine.clock import CLOCK_MODES, DEFAULT_TICK_MS, Clock, ClockMode, iso, wall_ms
from contexts.engine.keepers import DurableKeeper, Keeper, MemoryKeeper
from contexts.engine.store import Context, ContextDamaged, ContextError
from contexts.worlds import built, load_world, own_folder
from gateway.faults import kept, ledger
from gateway.faults.check import read_schedule
from gateway.faults.schedule import Schedule, document_of
from gateway.log import log
from gateway.sessions.registry import NameTaken, Registry, SnapshotRecord
from gateway.sessions.session import Durability, Session, SessionRecord
from gateway.settings import Settings, ToolList
from servers.catalogue import App, load_apps

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class UnknownSession(LookupError):
    """No session answers to this id, name or handle."""


class ExpiredSession(UnknownSession):
    """The session's time to live is over."""


class BadRequest(ValueError):
    """What was asked cannot be done; the message says what would be right."""


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
    """What a new session is to be. `ttl_s` is its time to live in seconds; `apps` and `upstreams` None mean all.

    `faults` is a schedule's data or the name of a preset; None takes the gateway's, `off` none.
    """

    name: str | None = None
    world: str = "studio"
    apps: tuple[str, ...] | None = None
    seed: int = 0
    clock: ClockChange = ClockChange()
    durability: Durability = "durable"
    ttl_s: float | None = None
    faults: object = None
    tools: ToolList = "all"
    upstreams: tuple[str, ...] | None = None


class Sessions:
    """The sessions of one data folder, as far as this process has them open.

    Everything that touches a context runs in the event loop without giving it up, so no two calls of this process meet
    inside one context. Another process may hold the same durable context; transactions keep them apart. `apps_outside` are
    the upstreams as fault schedules may name them.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._worlds: Path = settings.data / "worlds"
        self._registry = Registry(settings.data)
        self._keepers: dict[Durability, Keeper] = {"durable": DurableKeeper(settings.data), "memory": MemoryKeeper()}
        self._open: OrderedDict[str, Session] = OrderedDict()  # by handle, the longest unused first
        self._memory: dict[str, Session] = {}  # sessions that no registry knows, by id
        self._memory_snapshots: dict[str, list[SnapshotRecord]] = {}
        self.apps_outside: Callable[[], Mapping[str, App]] = dict

    async def start(self) -> None:
        await self._registry.connect()

    async def stop(self) -> None:
        for session in list(self._open.values()):
            self._close(session)
        for session in list(self._memory.values()):
            self._keepers["memory"].delete(session.id)
        self._memory.clear()
        await self._registry.close()

    @property
    def open_count(self) -> int:
        """How many contexts this process holds open."""
        return len(self._open)

    # -- making and finding -----------------------------------------------------------------------------------------

    async def create(self, wanted: NewSession) -> Session:
        """Make a session.

        Raises:
            BadRequest: for a bad name or clock.
            NameTaken: when a session has the name.
            UnknownWorld, UnknownApp: naming those there are.
            ScheduleMistakes: for a fault schedule that cannot be.
        """
        handle = self._new_handle(wanted.name)
        schedule = self._schedule(self._settings.faults if wanted.faults is None else wanted.faults)
        world = load_world(wanted.world, own_folder(self._worlds))
        apps = tuple(load_apps(wanted.apps))
        clock = self._first_clock(wanted.clock, world.epoch_ms)
        now = wall_ms()
        expires = None if wanted.ttl_s is None else now + int(wanted.ttl_s * 1000)
        record = SessionRecord(
            id=_new_id("ses"),
            handle=handle,
            name=wanted.name,
            world=world.name,
            apps=apps,
            seed=wanted.seed,
            clock=clock,
            created_ms=now,
            expires_ms=expires,
            tools=wanted.tools,
            upstreams=wanted.upstreams,
        )
        await self._record(record, wanted.durability)
        keeper = self._keepers[wanted.durability]
        try:
            context = keeper.create(record.id, built(world, self._worlds), seed=wanted.seed, clock=clock)
            if schedule is not None:
                with context.transaction() as meta:
                    kept.put(context, meta, schedule)
        except BaseException:
            await self._forget(record.id)
            raise
        return self._adopt(record, wanted.durability, context)

    def live(self, handle: str) -> Session | None:
        """The session behind a handle if this process has it open: the short way of every call.

        Raises:
            ExpiredSession: when its time is over.
        """
        session = self._open.get(handle)
        if session is not None:
            expires_ms = session.record.expires_ms
            if expires_ms is not None and wall_ms() >= expires_ms:
                raise ExpiredSession(_expired(expires_ms))
            self._open.move_to_end(handle)
        return session

    async def by_handle(self, handle: str) -> Session:
        """The session behind a handle, opened if need be.

        Raises:
            UnknownSession, ExpiredSession: never a fresh session instead.
            ContextError: when its context cannot be opened.
        """
        if (session := self.live(handle)) is not None:
            return session
        record = await self._registry.by_handle(handle)
        if record is None:
            raise UnknownSession("no session has this handle; it was deleted, or the address was mistyped")
        return self._opened(record)

    async def by_id(self, session_id: str) -> Session:
        """The session with this id or name, opened if need be.

        Raises:
            UnknownSession, ExpiredSession, ContextError: see `by_handle`.
        """
        for session in self._memory.values():
            if session_id in (session.id, session.record.name):
                return self.live(session.record.handle) or session
        record = await self._registry.by_id(session_id)
        if record is None:
            raise UnknownSession(f"there is no session {session_id!r}; GET /api/sessions lists those there are")
        return self.live(record.handle) or self._opened(record)

    async def by_name(self, name: str, otherwise: NewSession) -> Session:
        """The session of this name, made as `otherwise` says where it is missing."""
        try:
            return await self.by_id(name)
        except ExpiredSession:
            raise
        except UnknownSession:
            return await self.create(otherwise)

    async def records(self) -> list[SessionRecord]:
        """Every session, the newest first; those in memory are this process's."""
        records = await self._registry.sessions() + [s.record for s in self._memory.values()]
        return sorted(records, key=lambda r: (-r.created_ms, r.id))

    def durability_of(self, session_id: str) -> Durability:
        return "memory" if session_id in self._memory else "durable"

    # -- changing ---------------------------------------------------------------------------------------------------

    def control_step(
        self, session: Session, name: str, arguments: Mapping[str, Any], work: Callable[[Context], None]
    ) -> int:
        """Let the control plane change a context: one step in the journal, without an app, without a tick."""
        context = session.context
        meta = context.begin()
        try:
            work(context)
            at_ms = context.now_ms()
            receipt = context.finish(ticks=False)
            journal.append(
                context,
                journal.Row(meta.step, at_ms, None, name, dict(arguments), True, None, None, None, None, receipt, 0),
            )
            context.commit()
        except BaseException:
            context.rollback()
            raise
        return meta.step

    def put_state(self, session: Session, wanted: object, mode: state.LoadMode) -> int:
        """Load state as a step of its own.

        Raises:
            StateError: nothing has changed then.
        """
        arguments = {"mode": mode, "state": wanted}
        return self.control_step(session, "state", arguments, lambda context: state.load(context, wanted, mode))

    def set_clock(self, session: Session, change: ClockChange) -> int:
        """Set the session's clock as a step of its own.

        Raises:
            BadRequest: for a clock that cannot run.
        """
        _check_clock(change)
        arguments = change.as_arguments()
        return self.control_step(session, "clock", arguments, lambda context: context.set_clock(**arguments))

    def set_faults(self, session: Session, wanted: object) -> int:
        """Put a fault schedule (its data, or a preset's name) in force as a step of its own; None or `off` ends it.

        Raises:
            ScheduleMistakes: the old schedule stays in force then.
        """
        schedule = self._schedule(wanted)
        arguments = {"schedule": None if schedule is None else schedule.document}
        return self.control_step(
            session, "faults", arguments, lambda context: kept.put(context, context.running_meta, schedule)
        )

    async def reset(self, session: Session) -> None:
        """Put a session back to its start. A damaged context is made anew from its world."""
        try:
            journal.rewind(session.context, 0)
        except ContextDamaged:
            await self._remake(session.record, session.durability)

    async def reset_by_id(self, session_id: str) -> Session:
        """Reset a session, also one whose context cannot be opened any more."""
        try:
            session = await self.by_id(session_id)
            await self.reset(session)
        except (ContextDamaged, ContextError):
            record = await self._registry.by_id(session_id)
            if record is None:
                raise
            await self._remake(record, "durable")
        return await self.by_id(session_id)

    def restore_step(self, session: Session, step: int) -> None:
        """Put a session back to the moment after `step`; later steps are gone.

        Raises:
            ContextError: for a step that never was.
        """
        journal.rewind(session.context, step)

    async def fork(self, session: Session, *, step: int | None = None, name: str | None = None) -> Session:
        """A new session equal to this one now, or as it was after `step`.

        Raises:
            ContextError: for a step that never was.
            BadRequest, NameTaken: for the name.
        """
        if step is not None:
            journal.check_step(session.context, step)
        record = replace(
            session.record,
            id=_new_id("ses"),
            handle=self._new_handle(name),
            name=name,
            created_ms=wall_ms(),
            expires_ms=None,
        )
        await self._record(record, session.durability)
        try:
            context = self._keepers[session.durability].fork(session.context, record.id, step=step)
        except BaseException:
            await self._forget(record.id)
            raise
        return self._adopt(record, session.durability, context)

    async def pair(self, session: Session, step: int) -> tuple[Session, Session]:
        """Two forks from just before the call that a fault struck in this step: one where it will strike, one where not.

        Raises:
            BadRequest: when no fault landed in this step.
        """
        before = ledger.start_of(session.context, step)
        if before is None:
            known = ", ".join(map(str, ledger.steps_with_faults(session.context))) or "none"
            raise BadRequest(f"no fault landed in step {step}; steps where one did: {known}")
        struck = await self.fork(session, step=before)
        spared = await self.fork(session, step=before)
        with spared.context.transaction() as meta:
            kept.mute(meta, before + 1)
        return struck, spared

    async def snapshot(self, session: Session) -> SnapshotRecord:
        """Keep a copy of the session as it is now."""
        record = SnapshotRecord(_new_id("snp"), session.id, journal.last_step(session.context), wall_ms())
        self._keepers[session.durability].snapshot(session.context, record.id)
        if session.durability == "memory":
            self._memory_snapshots.setdefault(session.id, []).append(record)
        else:
            await self._registry.add_snapshot(record)
        return record

    async def snapshots(self, session: Session) -> list[SnapshotRecord]:
        """The session's snapshots, the oldest first."""
        if session.durability == "memory":
            return list(self._memory_snapshots.get(session.id, ()))
        return await self._registry.snapshots(session.id)

    async def restore_snapshot(self, session: Session, snapshot_id: str) -> None:
        """Put a session back to one of its snapshots.

        Raises:
            BadRequest: when the session has no such snapshot.
        """
        kept = await self.snapshots(session)
        if snapshot_id not in {s.id for s in kept}:
            known = ", ".join(s.id for s in kept) or "none yet; POST …/snapshots makes one"
            raise BadRequest(f"this session has no snapshot {snapshot_id!r}; it has: {known}")
        self._keepers[session.durability].restore(session.context, snapshot_id)

    # -- ending -----------------------------------------------------------------------------------------------------

    async def delete(self, session_id: str) -> str:
        """End a session for good, also an expired or damaged one. Returns its id.

        Raises:
            UnknownSession: when there is none.
        """
        memory = next((s for s in self._memory.values() if session_id in (s.id, s.record.name)), None)
        if memory is not None:
            self._open.pop(memory.record.handle, None)
            self._remove(memory.id, "memory", self._memory_snapshots.pop(memory.id, []))
            del self._memory[memory.id]
            return memory.id
        record = await self._registry.by_id(session_id)
        if record is None:
            raise UnknownSession(f"there is no session {session_id!r}")
        open_here = self._open.pop(record.handle, None)
        kept = await self._registry.snapshots(record.id)
        await self._registry.remove(record.id)
        try:
            context = open_here.context if open_here else self._keepers["durable"].open(record.id)
            context.end()
            self._keepers["durable"].close(record.id, context)
        except ContextError as error:
            log.warning("deleting a context that could not be opened", session=record.id, reason=str(error))
        self._remove(record.id, "durable", kept)
        return record.id

    async def remove_expired(self, *, keep_s: float) -> int:
        """Delete sessions whose time ended more than `keep_s` seconds ago; until then their address says so."""
        limit = wall_ms() - int(keep_s * 1000)
        over = [r for r in await self.records() if r.expires_ms is not None and r.expires_ms < limit]
        for record in over:
            await self.delete(record.id)
        return len(over)

    # -- inside -----------------------------------------------------------------------------------------------------

    def _new_handle(self, name: str | None) -> str:
        if name is not None and not _NAME.fullmatch(name):
            raise BadRequest(
                f"{name!r} is no session name; use up to 64 of a-z, 0-9, - and _, starting with a letter or digit"
            )
        # A name can be guessed, so it serves as a handle only where nobody but the local user can connect.
        return name if name is not None and self._settings.loopback else secrets.token_urlsafe(18)

    def _schedule(self, wanted: object) -> Schedule | None:
        document = document_of(wanted)
        return None if document is None else read_schedule(document, {**load_apps(), **self.apps_outside()})

    def _first_clock(self, change: ClockChange, epoch_ms: int) -> Clock:
        _check_clock(change)
        at = epoch_ms if change.at_ms is None else change.at_ms
        tick = DEFAULT_TICK_MS if change.tick_ms is None else change.tick_ms
        return Clock(change.mode or "tick", at, tick, 1.0 if change.scale is None else change.scale, wall_ms())

    async def _record(self, record: SessionRecord, durability: Durability) -> None:
        if record.name is not None and any(s.record.name == record.name for s in self._memory.values()):
            raise NameTaken(record.name)
        if durability == "memory":
            if record.name is not None and await self._registry.by_id(record.name) is not None:
                raise NameTaken(record.name)
        else:
            await self._registry.add(record)

    async def _forget(self, session_id: str) -> None:
        await self._registry.remove(session_id)
        for keeper in self._keepers.values():
            keeper.delete(session_id)

    def _adopt(self, record: SessionRecord, durability: Durability, context: Context) -> Session:
        session = Session(record, durability, context)
        if durability == "memory":
            self._memory[session.id] = session
        self._open[record.handle] = session
        while len(self._open) > self._settings.max_open:
            oldest = next((s for s in self._open.values() if s.durability == "durable" and s is not session), None)
            if oldest is None:
                break
            self._close(oldest)
        return session

    def _opened(self, record: SessionRecord) -> Session:
        if record.expires_ms is not None and wall_ms() >= record.expires_ms:
            raise ExpiredSession(_expired(record.expires_ms))
        return self._adopt(record, "durable", self._keepers["durable"].open(record.id))

    def _close(self, session: Session) -> None:
        self._open.pop(session.record.handle, None)
        self._keepers[session.durability].close(session.id, session.context)

    async def _remake(self, record: SessionRecord, durability: Durability) -> None:
        log.warning("context made anew from its world", session=record.id, world=record.world)
        if (open_here := self._open.pop(record.handle, None)) is not None:
            self._keepers[durability].close(record.id, open_here.context)
        self._keepers[durability].delete(record.id)
        world = built(load_world(record.world, own_folder(self._worlds)), self._worlds)
        context = self._keepers[durability].create(record.id, world, seed=record.seed, clock=record.clock)
        self._adopt(record, durability, context)

    def _remove(self, session_id: str, durability: Durability, kept: list[SnapshotRecord]) -> None:
        keeper = self._keepers[durability]
        keeper.delete(session_id)
        for snapshot in kept:
            keeper.delete_snapshot(snapshot.id)


def _check_clock(change: ClockChange) -> None:
    if change.mode is not None and change.mode not in CLOCK_MODES:
        raise BadRequest(f"unknown clock mode {change.mode!r}; known: {', '.join(CLOCK_MODES)}")
    if change.tick_ms is not None and change.tick_ms < 0:
        raise BadRequest("a clock's tick must be 0 ms or more")
    if change.scale is not None and not 0 <= change.scale <= 1e6:
        raise BadRequest("a clock's scale must be between 0 and 1,000,000")
    if change.at_ms is not None and not 0 <= change.at_ms < 253402300800000:
        raise BadRequest("a clock's time must be between 1970 and the year 9999")


def _expired(expires_ms: int) -> str:
    return f"this session expired at {iso(expires_ms)}; make a new one"


def _new_id(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(8)}"
