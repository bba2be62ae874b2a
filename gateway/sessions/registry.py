"""The gateway's own records: which durable sessions and snapshots there are.

Kept with SQLAlchemy on aiosqlite, in a file that the gateway, `backlot stdio` and the command line share. Sessions in
memory are known to their process alone and are not recorded here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    delete,
    event,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import Connection, Row
from sqlalchemy.exc import DatabaseError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.schema import CreateColumn

from contexts.engine.clock import Clock
from gateway.sessions.session import SessionRecord

_METADATA = MetaData()
_SESSIONS = Table(
    "session",
    _METADATA,
    Column("id", String(40), primary_key=True),
    Column("handle", String(80), nullable=False, unique=True),
    Column("name", String(80), unique=True),
    Column("world", String(80), nullable=False),
    Column("apps", String, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("clock", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger),
    Column("tools", String(8), nullable=False, server_default="all"),
    Column("upstreams", JSON),
)
_SNAPSHOTS = Table(
    "snapshot",
    _METADATA,
    Column("id", String(40), primary_key=True),
    Column("session_id", String(40), nullable=False),
    Column("step", Integer, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index("snapshot_by_session", "session_id"),
)


class RegistryDamaged(Exception):
    """The registry's file is not an intact database."""


class NameTaken(Exception):
    """Another session has this name."""

    def __init__(self, name: str | None) -> None:
        super().__init__(f"there is a session named {name!r} already; choose another name, or delete that one")


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """A snapshot: of which session, at which step, when (milliseconds since 1970)."""

    id: str
    session_id: str
    step: int
    created_ms: int


class Registry:
    """Reads and writes the records. `connect` first."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "registry.db"
        self._engine: AsyncEngine = create_async_engine(f"sqlite+aiosqlite:///{self._path}")
        event.listen(self._engine.sync_engine, "connect", _tune)

    async def connect(self) -> None:
        """Make the tables, and columns that an older file lacks, where they are missing.

        Raises:
            RegistryDamaged: when the file is no database.
        """
        try:
            async with self._engine.begin() as connection:
                await connection.run_sync(_METADATA.create_all)
                await connection.run_sync(_add_missing_columns)
        except DatabaseError as error:
            raise RegistryDamaged(
                f"the registry {self._path} is damaged ({error.orig}); move it away to start with no sessions "
                "(their contexts stay in the folder sessions beside it)"
            ) from None

    async def close(self) -> None:
        await self._engine.dispose()

    async def add(self, record: SessionRecord) -> None:
        """Record a session.

        Raises:
            NameTaken: when its name or handle is in use.
        """
        values = {**_fields(record), "apps": ",".join(record.apps), "clock": asdict(record.clock)}
        try:
            async with self._engine.begin() as connection:
                await connection.execute(insert(_SESSIONS).values(values))
        except IntegrityError:
            raise NameTaken(record.name) from None

    async def by_handle(self, handle: str) -> SessionRecord | None:
        return await self._one(_SESSIONS.c.handle == handle)

    async def by_id(self, session_id: str) -> SessionRecord | None:
        """The session with this id, or with this name."""
        return await self._one((_SESSIONS.c.id == session_id) | (_SESSIONS.c.name == session_id))

    async def sessions(self) -> list[SessionRecord]:
        """Every session, the newest first."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(_SESSIONS).order_by(_SESSIONS.c.created_ms.desc(), _SESSIONS.c.id))
            return [_session(row) for row in rows]

    async def remove(self, session_id: str) -> None:
        """Forget a session and its snapshots."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(_SNAPSHOTS).where(_SNAPSHOTS.c.session_id == session_id))
            await connection.execute(delete(_SESSIONS).where(_SESSIONS.c.id == session_id))

    async def add_snapshot(self, record: SnapshotRecord) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(insert(_SNAPSHOTS).values(_fields(record)))

    async def snapshots(self, session_id: str) -> list[SnapshotRecord]:
        """A session's snapshots, the oldest first."""
        query = select(_SNAPSHOTS).where(_SNAPSHOTS.c.session_id == session_id)
        async with self._engine.connect() as connection:
            rows = await connection.execute(query.order_by(_SNAPSHOTS.c.created_ms, _SNAPSHOTS.c.id))
            return [SnapshotRecord(*row) for row in rows]

    async def _one(self, condition: object) -> SessionRecord | None:
        async with self._engine.connect() as connection:
            rows: Sequence[Row[tuple[object, ...]]] = (
                await connection.execute(select(_SESSIONS).where(condition))  # type: ignore[arg-type]
            ).all()
        return _session(rows[0]) if rows else None


async def check_registry(folder: Path) -> None:
    """See that the registry can be used, making it where it is missing.

    Raises:
        RegistryDamaged: when it cannot.
    """
    registry = Registry(folder)
    try:
        await registry.connect()
    finally:
        await registry.close()


def _add_missing_columns(connection: Connection) -> None:
    for table in _METADATA.sorted_tables:
        there = {column["name"] for column in inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                declared = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {declared}"))


def _fields(record: SessionRecord | SnapshotRecord) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__slots__}


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
    )


def _tune(connection: object, _record: object) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA busy_timeout=5000")
    cursor.close()
