"""The registry's records of sessions and snapshots."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection, Row, Select, String, bindparam, delete, func, insert, literal, select, update
from sqlalchemy.exc import IntegrityError

from soundstage.contexts.engine.clock import Clock
from soundstage.gateway.registry.database import Database
from soundstage.gateway.registry.tables import GATEWAYS, SEATS, SESSIONS, SNAPSHOTS, now_ms
from soundstage.gateway.settings import ToolList, Unavailable

GIVEN_UP_S = 600.0
"""Seconds of silence after which a gateway has ended, with the sessions in its memory."""
# Created once: SQLAlchemy needs the same time to create a statement as to run it.
_WANTED = bindparam("wanted", type_=String)
_ADD = insert(SESSIONS)
_BY_HANDLE = select(SESSIONS).where(SESSIONS.c.handle == _WANTED)
_SEAT = select(SEATS).where(SEATS.c.handle == _WANTED)
_BY_NAME = select(SESSIONS).where(SESSIONS.c.name == _WANTED)
_BY_ID = select(SESSIONS).where((SESSIONS.c.id == _WANTED) | (SESSIONS.c.name == _WANTED))


Durability = Literal["durable", "memory"]


@dataclass(frozen=True, slots=True)
class Introduction:
    """How a session's shared address introduces itself to clients.

    The default is a text that any server could use: an agent that reads that nothing is real is no longer tested.
    """

    name: str = "apps"
    version: str = "1.0.0"
    instructions: str | None = None


NEUTRAL = Introduction()


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a session that only its agent may change.

    The agent may make `max_calls` calls of apps' tools. From `closes_ms` (milliseconds since 1970), or once it is `over`, its
    addresses are closed to agents. With an `errand`, its shared address offers that text as the prompt `task`, and the tool
    `submit_answer`.
    """

    max_calls: int
    closes_ms: int
    over: bool = False
    errand: str | None = None


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """The properties of a session that never change.

    `handle` is the agent's capability: logs and metrics contain `id` instead. `seed` and `clock` are the initial ones. Without
    `upstreams`, the session has all current ones. `volume` names the disk of its context, None for old records without it.
    `user` is the person of the world who owns it, None in a world without people. `server` is how its shared address introduces
    itself. `shown` are the tools that its addresses offer, by their names at the shared address; None means all. `unavailable`
    decides whether tools without a handler are listed. Times are wall clock milliseconds since 1970.
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
    durability: Durability = "durable"
    volume: str | None = None
    user: str | None = None
    server: Introduction = NEUTRAL
    bounds: Bounds | None = None
    shown: tuple[str, ...] | None = None
    unavailable: Unavailable = "hide"


@dataclass(frozen=True, slots=True)
class Seat:
    """A further handle into a session, as another person of the world (`user`), in the apps where that person has an account.

    It opens the agent plane alone, ends with the session, and is a capability like the session's own handle.
    """

    handle: str = field(repr=False)
    session_id: str
    user: str
    apps: tuple[str, ...]
    created_ms: int


class NameTaken(Exception):
    """Another session has this name."""

    def __init__(self, name: str | None) -> None:
        super().__init__(f"there is a session named {name!r} already; choose another name, or delete that one")


class MoreSnapshots(Exception):
    """A session to be removed has snapshots that the caller does not know."""


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """A snapshot: its session, its step, and its time (milliseconds since 1970)."""

    id: str
    session_id: str
    step: int
    created_ms: int


class Records:
    """Reads and writes the registry's records of sessions and snapshots."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._silent_since: dict[tuple[str, int | None], float] = {}

    async def add(
        self, records: Sequence[SessionRecord], *, owner: str | None, fence: int, seats: Sequence[Seat] = ()
    ) -> None:
        """Record sessions, all or none, with their first lease and their initial seats.

        Raises:
            NameTaken: a name or handle is in use.
        """
        try:
            await self._database.write(_adding(records, owner, fence, seats))
        except IntegrityError:
            raise NameTaken(next((r.name for r in records if r.name is not None), None)) from None

    def add_soon(self, records: Sequence[SessionRecord], *, owner: str, fence: int, seats: Sequence[Seat] = ()) -> None:
        """Record sessions without a name shortly after; later reads of this process include them.

        This is for sessions that end with this process, if no other process needs to find them.
        """
        self._database.write_soon(_adding(records, owner, fence, seats))

    @property
    def keeps_up(self) -> bool:
        """Whether deferred rows have been written so far."""
        return self._database.keeps_up

    async def by_handle(self, handle: str) -> SessionRecord | None:
        """Return the session with this handle, or None."""
        return await self._one(_BY_HANDLE, {"wanted": handle})

    async def by_id(self, session_id: str) -> SessionRecord | None:
        """Return the session with this id or name."""
        return await self._one(_BY_ID, {"wanted": session_id})

    async def by_name(self, name: str) -> SessionRecord | None:
        """Return the session with this name, or None."""
        return await self._one(_BY_NAME, {"wanted": name})

    async def count(self) -> int:
        """Return the number of sessions."""
        async with self._database.reading() as connection:
            return int((await connection.execute(select(func.count()).select_from(SESSIONS))).scalar_one())

    async def sessions(self, *, offset: int = 0, limit: int | None = None) -> list[SessionRecord]:
        """Return sessions, newest first; all, or a page from `offset` on."""
        query = select(SESSIONS).order_by(SESSIONS.c.created_ms.desc(), SESSIONS.c.id).offset(offset).limit(limit)
        return await self._all(query)

    async def rebound(self, session_id: str, bounds: Bounds, expires_ms: int) -> None:
        """Change a session's bounds and its expiry."""
        changing = update(SESSIONS).where(SESSIONS.c.id == session_id)
        changing = changing.values(bounds=asdict(bounds), expires_ms=expires_ms)
        await self._database.write(lambda connection: connection.execute(changing))

    async def expired(self, before_ms: int) -> list[SessionRecord]:
        """Return the sessions that expired before a time (milliseconds since 1970)."""
        return await self._all(select(SESSIONS).where(SESSIONS.c.expires_ms < before_ms))

    async def known(self, ids: Collection[str]) -> set[str]:
        """Return which of these ids belong to a session or a snapshot."""
        async with self._database.reading() as connection:
            known: set[str] = set()
            for column in (SESSIONS.c.id, SNAPSHOTS.c.id):
                known.update((await connection.execute(select(column).where(column.in_(ids)))).scalars())
        return known

    async def remove(self, session_id: str, *, snapshots: Collection[str] = ()) -> None:
        """Remove a session, its seats, and its snapshots.

        Raises:
            MoreSnapshots: it has other snapshots by now; nothing is removed then.
        """

        def work(connection: Connection) -> None:
            # First, because this prevents new snapshots until the end.
            connection.execute(delete(SESSIONS).where(SESSIONS.c.id == session_id))
            others = (SNAPSHOTS.c.session_id == session_id) & SNAPSHOTS.c.id.not_in(snapshots)
            if connection.execute(select(SNAPSHOTS.c.id).where(others)).first() is not None:
                raise MoreSnapshots
            connection.execute(delete(SEATS).where(SEATS.c.session_id == session_id))
            connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.session_id == session_id))

        await self._database.write(work)

    async def remove_lost(self, *, own: str | None = None) -> int:
        """Remove sessions that were in the memory of gateways which have ended. Returns how many.

        A gateway that has been silent for a short time may be paused, or disconnected from the registry, and its sessions with
        it. Silence is measured by this process's monotonic clock: a gateway has ended if its row has been expired and unchanged,
        or missing, for ten minutes. A jump of the system or the database's clock therefore removes nothing. `own` is the id of
        this gateway, whose sessions are never lost.
        """
        fresh = select(GATEWAYS.c.id).where(GATEWAYS.c.expires_ms > now_ms())
        silent = (SESSIONS.c.durability == "memory") & SESSIONS.c.owner.not_in(fresh)
        query = select(SESSIONS.c.owner, GATEWAYS.c.expires_ms).distinct()
        query = query.join_from(SESSIONS, GATEWAYS, SESSIONS.c.owner == GATEWAYS.c.id, isouter=True).where(silent)
        async with self._database.reading() as connection:
            found = {(str(row[0]), row[1]) for row in await connection.execute(query) if row[0] != own}
        since, now = self._silent_since, time.monotonic()
        self._silent_since = {key: since.get(key, now) for key in found}
        ended = [owner for (owner, _), first in self._silent_since.items() if now - first >= GIVEN_UP_S]
        lost = (SESSIONS.c.durability == "memory") & SESSIONS.c.owner.in_(ended)

        def work(connection: Connection) -> int:
            removed = connection.execute(delete(SESSIONS).where(lost)).rowcount if ended else 0
            # Gateways that shut down in order remove their sessions in memory, but not the seats in them.
            connection.execute(delete(SEATS).where(SEATS.c.session_id.not_in(select(SESSIONS.c.id))))
            return removed

        return await self._database.write(work)

    async def add_snapshot(self, record: SnapshotRecord) -> bool:
        """Record a snapshot. Returns False if its session has been removed meanwhile."""
        fields = _fields(record)
        of_session = select(*(literal(value) for value in fields.values())).where(SESSIONS.c.id == record.session_id)
        # Locked, so that PostgreSQL cannot remove the session concurrently; SQLite writes one transaction at a time.
        adding = insert(SNAPSHOTS).from_select(list(fields), of_session.with_for_update(read=True))
        return await self._database.write(lambda connection: connection.execute(adding).rowcount > 0)

    async def snapshots(self, session_id: str) -> list[SnapshotRecord]:
        """Return a session's snapshots, oldest first."""
        query = select(SNAPSHOTS).where(SNAPSHOTS.c.session_id == session_id)
        async with self._database.reading() as connection:
            rows = await connection.execute(query.order_by(SNAPSHOTS.c.created_ms, SNAPSHOTS.c.id))
            return [SnapshotRecord(*row) for row in rows]

    async def add_seat(self, seat: Seat) -> None:
        """Store a seat."""
        adding = insert(SEATS).values(_seat_fields(seat))
        await self._database.write(lambda connection: connection.execute(adding))

    async def seat(self, handle: str) -> Seat | None:
        """Return the seat of a handle."""
        async with self._database.reading() as connection:
            row = (await connection.execute(_SEAT, {"wanted": handle})).first()
        return None if row is None else _seat(row)

    async def seats(self, session_id: str) -> list[Seat]:
        """Return a session's seats, oldest first."""
        query = select(SEATS).where(SEATS.c.session_id == session_id).order_by(SEATS.c.created_ms, SEATS.c.handle)
        async with self._database.reading() as connection:
            return [_seat(row) for row in await connection.execute(query)]

    async def _one(self, query: Select[tuple[object, ...]], wanted: dict[str, str]) -> SessionRecord | None:
        records = await self._all(query, wanted)
        return records[0] if records else None

    async def _all(
        self, query: Select[tuple[object, ...]], wanted: dict[str, str] | None = None
    ) -> list[SessionRecord]:
        async with self._database.reading() as connection:
            rows: Sequence[Row[tuple[object, ...]]] = (await connection.execute(query, wanted)).all()
        return [_session(row) for row in rows]


async def check_registry(folder: Path, address: str | None) -> None:
    """Check that the registry can be used, and create it if it is missing.

    Raises:
        RegistryDamaged, RegistryUnavailable: it cannot be used.
    """
    database = Database(folder, address)
    try:
        await database.connect()
    finally:
        await database.close()


def _adding(
    records: Sequence[SessionRecord], owner: str | None, fence: int, seats: Sequence[Seat]
) -> Callable[[Connection], None]:
    def plain(record: SessionRecord) -> dict[str, object]:
        values = {
            "apps": ",".join(record.apps),
            "clock": asdict(record.clock),
            "server": asdict(record.server),
            "bounds": None if record.bounds is None else asdict(record.bounds),
        }
        return {**_fields(record), **values, "owner": owner, "fence": fence}

    def work(connection: Connection) -> None:
        connection.execute(_ADD, [plain(record) for record in records])
        for seat in seats:
            connection.execute(insert(SEATS).values(_seat_fields(seat)))

    return work


def _fields(record: SessionRecord | SnapshotRecord | Seat) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__slots__}


def _seat_fields(seat: Seat) -> dict[str, object]:
    return {**_fields(seat), "apps": ",".join(seat.apps)}


def _session(row: Row[tuple[object, ...]]) -> SessionRecord:
    m = row._mapping
    return SessionRecord(
        id=m["id"],
        handle=m["handle"],
        name=m["name"],
        world=m["world"],
        apps=tuple(name for name in m["apps"].split(",") if name),
        seed=m["seed"],
        clock=Clock(**m["clock"]),
        created_ms=m["created_ms"],
        expires_ms=m["expires_ms"],
        tools=m["tools"],
        upstreams=None if m["upstreams"] is None else tuple(m["upstreams"]),
        durability=m["durability"],
        volume=m["volume"],
        user=m["user"],
        server=Introduction(**(m["server"] or {})),
        bounds=None if m["bounds"] is None else Bounds(**m["bounds"]),
        shown=None if m["shown"] is None else tuple(m["shown"]),
        unavailable=m["unavailable"],
    )


def _seat(row: Row[tuple[object, ...]]) -> Seat:
    m = row._mapping
    return Seat(m["handle"], m["session_id"], m["user"], tuple(m["apps"].split(",")), m["created_ms"])
