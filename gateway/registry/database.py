"""The database behind the registry: a file in the data folder, or PostgreSQL by address."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from sqlalchemy import URL, event, inspect, make_url, text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.schema import CreateColumn

from soundstage.gateway import metrics
from soundstage.gateway.files import made_private
from soundstage.gateway.registry.tables import METADATA

_PATIENCE_S = 5.0
"""For how long PostgreSQL may take to let a connection in, and to answer a statement: it may be cut off without a word."""
_MAKING_TABLES = 0x6261636B6C6F74
"""The number of PostgreSQL's advisory lock under which one gateway at a time makes the tables."""


class RegistryDamaged(Exception):
    """The registry's file is not an intact database."""


class RegistryUnavailable(Exception):
    """The registry does not answer, or its address is none."""


class RegistryFull(RegistryUnavailable):
    """The disk of the registry's file has no room for what was to be written. Nothing was changed."""

    def __init__(self, path: object) -> None:
        super().__init__(f"nothing was changed: the disk of the registry {path} is full; free disk space and try again")


class Database:
    """Connections to the registry. `connect` first.

    Everything raises `RegistryUnavailable` when the database does not answer, `RegistryFull` where its disk is full; the message
    shows no password.
    """

    def __init__(self, folder: Path, address: str | None) -> None:
        self._file = folder / "registry.db"
        self._url = URL.create("sqlite+aiosqlite", database=str(self._file))
        if address is not None:
            self._url = _postgresql(address)
        self._sqlite = address is None
        if self._sqlite:
            self._engine: AsyncEngine = create_async_engine(self._url)
            event.listen(self._engine.sync_engine, "connect", _tune)
        else:
            # A connection that PostgreSQL has closed meanwhile (its restart) is noticed before it is used.
            self._engine = create_async_engine(
                self._url,
                pool_pre_ping=True,
                pool_size=5,
                max_overflow=5,
                pool_timeout=_PATIENCE_S,
                connect_args={"timeout": _PATIENCE_S, "command_timeout": _PATIENCE_S},
            )

    async def connect(self) -> None:
        """Make the tables, and columns that an older registry lacks, where they are missing.

        Raises:
            RegistryDamaged: when the file is no database.
            RegistryUnavailable: when it does not answer.
        """
        try:
            if self._sqlite:
                made_private(self._file)  # whoever reads it has every handle
            async with self._engine.begin() as connection:
                # One gateway at a time: several that start together would all find the tables missing.
                if self._sqlite:
                    await connection.exec_driver_sql("BEGIN IMMEDIATE")
                else:
                    await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MAKING_TABLES})
                await connection.run_sync(METADATA.create_all)
                await connection.run_sync(_add_missing_columns)
        except _FAILURES as error:
            # A file that is locked, or on a full disk, is an OperationalError; one that is no database is not.
            if not self._sqlite or not isinstance(error, DatabaseError) or isinstance(error, OperationalError):
                raise self._unavailable(error) from None
            raise RegistryDamaged(
                f"the registry {self._url.database} is damaged ({error.orig}); move it away to start with no sessions "
                "(their contexts stay in the folder sessions beside it)"
            ) from None

    async def close(self) -> None:
        await self._engine.dispose()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection for looking something up."""
        with self._available():
            async with self._engine.connect() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that commits at the end of the block."""
        with self._available():
            async with self._engine.begin() as connection:
                yield connection

    @contextmanager
    def _available(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise  # it has answered; what it refuses is the caller's business
        except _FAILURES as error:
            metrics.REGISTRY_UP.set(0)
            raise self._unavailable(error) from error
        metrics.REGISTRY_UP.set(1)

    def _unavailable(self, error: BaseException) -> RegistryUnavailable:
        reason = getattr(error, "orig", None) or error
        if self._sqlite and getattr(reason, "sqlite_errorcode", None) in _NO_ROOM:
            return RegistryFull(self._url.database)
        where = self._url.database
        if not self._sqlite:  # an address without a host names the folder of PostgreSQL's socket in its query
            host = f"{self._url.host}:{self._url.port or 5432}" if self._url.host else self._url.query.get("host")
            where = f"{host or 'localhost'}/{where}"
        return RegistryUnavailable(
            f"the registry {where} cannot be used ({_first_line(reason)}); try again in a moment"
        )


_NO_ROOM = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_TRUNCATE}
)
"""What SQLite says on a full disk, the third where it would make the index of its log."""
_FAILURES = (DBAPIError, PoolTimeout, asyncio.TimeoutError, OSError)


def _first_line(reason: object) -> str:
    return str(reason).partition("\n")[0] or type(reason).__name__


def _postgresql(address: str) -> URL:
    """An address as people write it (`postgresql://user:password@host/database?sslmode=require`), as the driver takes it.

    Raises:
        RegistryUnavailable: for what is no address of a PostgreSQL database. The message does not repeat it: it may hold
            a password.
    """
    try:
        url = make_url(address)
    except ArgumentError:
        url = None
    if url is None or url.drivername not in ("postgres", "postgresql", "postgresql+asyncpg") or not url.database:
        raise RegistryUnavailable(
            "the registry's address is no PostgreSQL database; write postgresql://user:password@host/database"
        )
    query = dict(url.query)
    if "sslmode" in query:  # libpq's name for what asyncpg calls ssl
        query["ssl"] = query.pop("sslmode")
    return url.set(drivername="postgresql+asyncpg", query=query)


def _add_missing_columns(connection: Connection) -> None:
    for table in METADATA.sorted_tables:
        there = {column["name"] for column in inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                declared = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {declared}"))


def _tune(connection: object, _record: object) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA busy_timeout=5000")
    cursor.close()
