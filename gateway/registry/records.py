"""Which sessions and snapshots there are."""

from __future__ import annotations

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

_GIVEN_UP_MS = 600_000
# Made once: to make a statement costs SQLAlchemy as much as to run it.
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

    Unless somebody chooses, in words that any server could say: an agent that reads that nothing is real is no longer tested.
    """

    name: str = "apps"
    version: str = "1.0.0"
    instructions: str | None = None


NEUTRAL = Introduction()


@dataclass(frozen=True, slots=True)
class Bounds:
    """What makes a session one that its agent alone may change, for a while: it may make `max_calls` calls of apps' tools, and
    from `closes_ms` (milliseconds since 1970) on, or once it is `over`, its addresses answer agents no more.

    With an `errand` its shared address has that text as the prompt `task`, and a tool to answer with.
    """

    max_calls: int
    closes_ms: int
    over: bool = False
    errand: str | None = None


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """What stays the same about a session from its making to its end.

    `handle` is the capability an agent holds: no log or metric shows it, they name `id`. `seed` and `clock` are those it started
    with. `upstreams` None means all that there are at any time. `volume` names the disk that its context lies on, None for one
    from before disks had names. `user` is the person of the world whom it belongs to, None in a world without people. `server` is
    how its shared address introduces itself. `shown` are the tools that its addresses have, by their names at the shared one;
    None means all. `unavailable` says whether tools that nothing answers are listed. Times are milliseconds since 1970 by the
    wall clock.
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
    """A session that is to be removed has snapshots that its remover does not know of."""


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """A snapshot: of which session, at which step, when (milliseconds since 1970)."""

    id: str
    session_id: str
    step: int
    created_ms: int


class Records:
    """Reads and writes what the registry knows about sessions and snapshots."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self, records: Sequence[SessionRecord], *, owner: str | None, fence: int, seats: Sequence[Seat] = ()
    ) -> None:
        """Record sessions, all or none, with their first lease and the seats that they begin with.

        Raises:
            NameTaken: when the name or handle of one is in use.
        """
        try:
            await self._database.write(_adding(records, owner, fence, seats))
        except IntegrityError:
            raise NameTaken(next((r.name for r in records if r.name is not None), None)) from None

    def add_soon(self, records: Sequence[SessionRecord], *, owner: str, fence: int, seats: Sequence[Seat] = ()) -> None:
        """Record sessions without a name a moment later; whatever this process reads of the registry knows of them.

        For those that end with this process anyway, as long as no other one has to find them.
        """
        self._database.write_soon(_adding(records, owner, fence, seats))

    @property
    def keeps_up(self) -> bool:
        """Whether rows that were left for later have been written so far."""
        return self._database.keeps_up

    async def by_handle(self, handle: str) -> SessionRecord | None:
        return await self._one(_BY_HANDLE, {"wanted": handle})

    async def by_id(self, session_id: str) -> SessionRecord | None:
        """The session with this id, or with this name."""
        return await self._one(_BY_ID, {"wanted": session_id})

    async def by_name(self, name: str) -> SessionRecord | None:
        return await self._one(_BY_NAME, {"wanted": name})

    async def count(self) -> int:
        """How many sessions there are."""
        async with self._database.reading() as connection:
            return int((await connection.execute(select(func.count()).select_from(SESSIONS))).scalar_one())

    async def sessions(self, *, offset: int = 0, limit: int | None = None) -> list[SessionRecord]:
        """Sessions, the newest first; all, or some from `offset` on."""
        query = select(SESSIONS).order_by(SESSIONS.c.created_ms.desc(), SESSIONS.c.id).offset(offset).limit(limit)
        return await self._all(query)

    async def rebound(self, session_id: str, bounds: Bounds, expires_ms: int) -> None:
        """Give a session other bounds, and a time at which it expires."""
        changing = update(SESSIONS).where(SESSIONS.c.id == session_id)
        changing = changing.values(bounds=asdict(bounds), expires_ms=expires_ms)
        await self._database.write(lambda connection: connection.execute(changing))

    async def expired(self, before_ms: int) -> list[SessionRecord]:
        """Sessions whose time was over before a moment (milliseconds since 1970)."""
        return await self._all(select(SESSIONS).where(SESSIONS.c.expires_ms < before_ms))

    async def known(self, ids: Collection[str]) -> set[str]:
        """Those of these ids that are a session's or a snapshot's."""
        async with self._database.reading() as connection:
            found: set[str] = set()
            for column in (SESSIONS.c.id, SNAPSHOTS.c.id):
                found.update((await connection.execute(select(column).where(column.in_(ids)))).scalars())
        return found

    async def remove(self, session_id: str, *, snapshots: Collection[str] = ()) -> None:
        """Forget a session, its seats, and its snapshots, which are these.

        Raises:
            MoreSnapshots: it has others by now; nothing is forgotten then.
        """

        def work(connection: Connection) -> None:
            # First, because it keeps snapshots from being added until the end.
            connection.execute(delete(SESSIONS).where(SESSIONS.c.id == session_id))
            others = (SNAPSHOTS.c.session_id == session_id) & SNAPSHOTS.c.id.not_in(snapshots)
            if connection.execute(select(SNAPSHOTS.c.id).where(others)).first() is not None:
                raise MoreSnapshots
            connection.execute(delete(SEATS).where(SEATS.c.session_id == session_id))
            connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.session_id == session_id))

        await self._database.write(work)

    async def remove_lost(self) -> int:
        """Forget sessions that were in the memory of gateways which have ended. Returns how many.

        A gateway that has said nothing for a while may be paused, or cut off from the registry, and its sessions with it.
        """
        alive = select(GATEWAYS.c.id).where(GATEWAYS.c.expires_ms > now_ms() - _GIVEN_UP_MS)
        lost = (SESSIONS.c.durability == "memory") & SESSIONS.c.owner.not_in(alive)

        def work(connection: Connection) -> int:
            removed = connection.execute(delete(SESSIONS).where(lost)).rowcount
            # Gateways that end in order forget their sessions in memory, not the seats in them.
            connection.execute(delete(SEATS).where(SEATS.c.session_id.not_in(select(SESSIONS.c.id))))
            return removed

        return await self._database.write(work)

    async def add_snapshot(self, record: SnapshotRecord) -> bool:
        """Record a snapshot. False where its session has been removed meanwhile."""
        fields = _fields(record)
        of_session = select(*(literal(value) for value in fields.values())).where(SESSIONS.c.id == record.session_id)
        # Locked, so that PostgreSQL cannot remove the session at the same moment; SQLite writes one transaction at a time.
        adding = insert(SNAPSHOTS).from_select(list(fields), of_session.with_for_update(read=True))
        return await self._database.write(lambda connection: connection.execute(adding).rowcount > 0)

    async def snapshots(self, session_id: str) -> list[SnapshotRecord]:
        """A session's snapshots, the oldest first."""
        query = select(SNAPSHOTS).where(SNAPSHOTS.c.session_id == session_id)
        async with self._database.reading() as connection:
            rows = await connection.execute(query.order_by(SNAPSHOTS.c.created_ms, SNAPSHOTS.c.id))
            return [SnapshotRecord(*row) for row in rows]

    async def add_seat(self, seat: Seat) -> None:
        adding = insert(SEATS).values(_seat_fields(seat))
        await self._database.write(lambda connection: connection.execute(adding))

    async def seat(self, handle: str) -> Seat | None:
        """The seat behind a handle."""
        async with self._database.reading() as connection:
            row = (await connection.execute(_SEAT, {"wanted": handle})).first()
        return None if row is None else _seat(row)

    async def seats(self, session_id: str) -> list[Seat]:
        """A session's seats, the oldest first."""
        query = select(SEATS).where(SEATS.c.session_id == session_id).order_by(SEATS.c.created_ms, SEATS.c.handle)
        async with self._database.reading() as connection:
            return [_seat(row) for row in await connection.execute(query)]

    async def _one(self, query: Select[tuple[object, ...]], wanted: dict[str, str]) -> SessionRecord | None:
        found = await self._all(query, wanted)
        return found[0] if found else None

    async def _all(
        self, query: Select[tuple[object, ...]], wanted: dict[str, str] | None = None
    ) -> list[SessionRecord]:
        async with self._database.reading() as connection:
            rows: Sequence[Row[tuple[object, ...]]] = (await connection.execute(query, wanted)).all()
        return [_session(row) for row in rows]


async def check_registry(folder: Path, address: str | None) -> None:
    """See that the registry can be used, making it where it is missing.

    Raises:
        RegistryDamaged, RegistryUnavailable: when it cannot.
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
        told = {
            "apps": ",".join(record.apps),
            "clock": asdict(record.clock),
            "server": asdict(record.server),
            "bounds": None if record.bounds is None else asdict(record.bounds),
        }
        return {**_fields(record), **told, "owner": owner, "fence": fence}

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
