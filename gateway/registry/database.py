"""The registry's database: a file in the data folder, or PostgreSQL by address.

A writing transaction is a function that is passed to `Database.write`. SQLite allows one writer of a file at a time, so such
functions run in a separate thread, from begin to commit without returning to the event loop. Even if a session of 100,000 steps
blocks the loop, other gateways do not wait for it.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Column, Table, create_engine, event, inspect, make_url, text
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.schema import CreateColumn

from soundstage.gateway import metrics
from soundstage.gateway.files import made_private
from soundstage.gateway.log import log
from soundstage.gateway.registry.tables import METADATA

_PATIENCE_S = 5.0
"""Seconds for PostgreSQL to accept a connection and to answer a statement: it may become unreachable without an error."""
_CONNECTIONS = 10
"""Maximum number of a process's connections to PostgreSQL."""
_KEPT_FREE = 2
"""Number of connections reserved for urgent and deferred writes."""
_TURN_S = 20.0
"""Seconds to wait for a connection while all are in use, which is a sign of load and not of an outage."""
_MAKING_TABLES = 0x6261636B6C6F74
"""The number of PostgreSQL's advisory lock for creating the tables."""


T = TypeVar("T")


class RegistryDamaged(Exception):
    """The registry's file is not an intact database."""


class RegistryUnavailable(Exception):
    """The registry does not answer, or its address is invalid."""


class RegistryBusy(RegistryUnavailable):
    """Another process has been writing the registry's file for too long. Nothing was changed."""

    def __init__(self, path: object) -> None:
        super().__init__(
            f"nothing was changed: the registry {path} is busy, because another gateway or command holds its file for writing "
            "and does not release it; try again in a few seconds, and check for stopped processes"
        )


class RegistryFull(RegistryUnavailable):
    """The disk of the registry's file is full. Nothing was changed."""

    def __init__(self, path: object) -> None:
        super().__init__(f"nothing was changed: the disk of the registry {path} is full; free disk space and try again")


class Database:
    """Connections to the registry. Call `connect` first.

    All methods raise `RegistryUnavailable` if the database does not answer and `RegistryFull` if its disk is full; the message
    contains no password.
    """

    def __init__(self, folder: Path, address: str | None) -> None:
        self._file = folder / "registry.db"
        self._url = URL.create("sqlite+aiosqlite", database=str(self._file))
        if address is not None:
            self._url = _postgresql(address)
        self._sqlite = address is None
        self._writer: Writer | None = None
        self._turns: asyncio.Semaphore | None = None
        self._soon: list[Callable[[Connection], object]] = []
        self._writing_soon: asyncio.Task[None] | None = None
        self._catching_up: asyncio.Task[None] | None = None
        self._fell_behind = False
        if self._sqlite:
            self._engine: AsyncEngine = create_async_engine(self._url)
            event.listen(self._engine.sync_engine, "connect", _tune)
            self._writer = Writer(self._url)
        else:
            self._turns = asyncio.Semaphore(_CONNECTIONS - _KEPT_FREE)
            # A connection that PostgreSQL has closed, as at its restart, is detected before it is used.
            self._engine = create_async_engine(
                self._url,
                pool_pre_ping=True,
                pool_size=_CONNECTIONS,
                max_overflow=0,
                pool_timeout=_PATIENCE_S,
                connect_args={"timeout": _PATIENCE_S, "command_timeout": _PATIENCE_S},
            )

    async def connect(self) -> None:
        """Create missing tables, and columns that an older registry lacks.

        Raises:
            RegistryDamaged: the file is not a database.
            RegistryUnavailable: the database does not answer.
        """
        try:
            if self._sqlite:
                made_private(self._file)  # the file contains every handle
            async with self._engine.connect() as connection:
                if await connection.run_sync(_is_complete):
                    return
            await self._write(_make_tables)
        except _FAILURES as error:
            # A locked file or a full disk is an OperationalError; a file that is not a database is another DatabaseError.
            if not self._sqlite or not isinstance(error, DatabaseError) or isinstance(error, OperationalError):
                raise self._unavailable(error) from None
            raise RegistryDamaged(
                f"the registry {self._url.database} is damaged ({error.orig}); move it away to start with no sessions "
                "(their contexts remain in the folder `sessions` next to it)"
            ) from None

    async def close(self) -> None:
        """Finish running writes and close all connections."""
        with suppress(RegistryUnavailable):
            await self._catch_up()
        if self._writing_soon is not None:
            self._writing_soon.cancel()
        if self._writer is not None:
            await asyncio.to_thread(self._writer.close)
        await self._engine.dispose()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Provide a connection for reading."""
        await self._catch_up()
        async with self._turn():
            with self._available():
                async with self._engine.connect() as connection:
                    yield connection

    async def write(self, work: Callable[[Connection], T], *, urgent: bool = False) -> T:
        """Run `work` in a transaction that commits at its end.

        It uses only the connection, and is short. `urgent` work skips the queue, so that load does not delay it.

        Raises:
            RegistryBusy: another process has been writing for longer than `PATIENCE_S`.
        """
        await self._catch_up()
        async with nullcontext() if urgent else self._turn():
            with self._available():
                return await self._write(work)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Reserve one of the connections to PostgreSQL for the block."""
        if self._turns is None:
            yield
            return
        try:
            async with asyncio.timeout(_TURN_S):
                await self._turns.acquire()
        except TimeoutError:
            raise RegistryUnavailable(
                f"all connections to the registry have been in use for {_TURN_S:g} s; try again in a moment"
            ) from None
        try:
            yield
        finally:
            self._turns.release()

    @property
    def keeps_up(self) -> bool:
        """Whether the last work given to `write_soon` has been written, or is about to be."""
        return not self._fell_behind

    def write_soon(self, work: Callable[[Connection], object]) -> None:
        """Run `work` within some milliseconds, and before this process's next read or write.

        It shares a transaction with other deferred work and must not violate constraints. While the registry does not answer,
        it is retried.
        """
        self._soon.append(work)
        if self._writing_soon is None or self._writing_soon.done():
            self._writing_soon = asyncio.create_task(self._write_in_a_moment())

    async def _write_in_a_moment(self) -> None:
        while self._soon:
            await asyncio.sleep(_SOON_S if self.keeps_up else PATIENCE_S)
            try:
                await self._catch_up()
            except RegistryUnavailable as error:
                log.warning("new sessions are not in the registry yet", sessions=len(self._soon), reason=str(error))

    async def _catch_up(self) -> None:
        """Write the deferred work.

        Raises:
            RegistryUnavailable: it is still to be written.
        """
        while self._soon:
            if self._catching_up is None or self._catching_up.done():
                self._catching_up = asyncio.create_task(self._write_waiting())
            # A waiting caller may be cancelled; the result of the write must still be recorded.
            await asyncio.shield(self._catching_up)

    async def _write_waiting(self) -> None:
        waiting = self._soon[:]
        try:
            with self._available():
                await self._write(lambda connection: [work(connection) for work in waiting])
        except RegistryUnavailable:
            self._fell_behind = True
            raise
        self._fell_behind = False
        del self._soon[: len(waiting)]

    async def _write(self, work: Callable[[Connection], T]) -> T:
        if self._writer is not None:
            return await self._writer.write(work)
        async with self._engine.begin() as connection:
            return await connection.run_sync(work)

    @contextmanager
    def _available(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise  # the database has answered; its rejection concerns the caller
        except _FAILURES as error:
            metrics.REGISTRY_UP.set(0)
            raise self._unavailable(error) from error
        metrics.REGISTRY_UP.set(1)

    def _unavailable(self, error: BaseException) -> RegistryUnavailable:
        reason = getattr(error, "orig", None) or error
        if self._sqlite and getattr(reason, "sqlite_errorcode", None) in _NO_ROOM:
            return RegistryFull(self._url.database)
        if self._sqlite and getattr(reason, "sqlite_errorcode", 0) & 0xFF in (
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
        ):
            return RegistryBusy(self._url.database)
        where = self._url.database
        if not self._sqlite:  # an address without a host names the folder of PostgreSQL's socket in its query
            host = f"{self._url.host}:{self._url.port or 5432}" if self._url.host else self._url.query.get("host")
            where = f"{host or 'localhost'}/{where}"
        return RegistryUnavailable(
            f"the registry {where} cannot be used ({_first_line(reason)}); try again in a moment"
        )


class Writer:
    """Writes a registry's file, one transaction after the other, each completely in one thread."""

    def __init__(self, url: URL) -> None:
        self._engine: Engine = create_engine(url.set(drivername="sqlite"))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="registry")
        self._until = 0.0
        self._was_busy_at = float("-inf")
        event.listen(self._engine, "connect", _tune)
        event.listen(self._engine, "connect", _leave_transactions)
        event.listen(self._engine, "begin", self._begin)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """See `Database.write`."""
        patience = PATIENCE_S if time.monotonic() - self._was_busy_at > _STILL_BUSY_S else _STILL_BUSY_S
        until = time.monotonic() + patience
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._written, work, until)

    def close(self) -> None:
        """Finish the running transactions."""
        self._thread.shutdown()
        self._engine.dispose()

    def _written(self, work: Callable[[Connection], T], until: float) -> T:
        self._until = until
        try:
            with self._engine.begin() as connection:
                return work(connection)
        except OperationalError as error:
            if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                self._was_busy_at = time.monotonic()
            raise

    def _begin(self, connection: Connection) -> None:
        """Lock the file for writing at once: a transaction that has read before may be unable to write later."""
        left_ms = max(1, int((self._until - time.monotonic()) * 1000))
        connection.exec_driver_sql(f"PRAGMA busy_timeout={left_ms}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")


_SOON_S = 0.005
"""Seconds that deferred work waits for more of it."""
PATIENCE_S = 5.0
"""Seconds that a transaction waits for another writer of the registry's file."""
_STILL_BUSY_S = 0.5
"""After a timeout, transactions within this time wait no longer than this: many may arrive at once."""
_NO_ROOM = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_TRUNCATE}
)
"""SQLite's messages on a full disk; the third is from creating the WAL index."""
_FAILURES = (DBAPIError, PoolTimeout, asyncio.TimeoutError, OSError)


def _first_line(reason: object) -> str:
    return str(reason).partition("\n")[0] or type(reason).__name__


def _postgresql(address: str) -> URL:
    """Convert an address (`postgresql://user:password@host/database?sslmode=require`) to the driver's form.

    Raises:
        RegistryUnavailable: it is not an address of a PostgreSQL database. The message omits it, as it may contain a password.
    """
    try:
        url = make_url(address)
    except ArgumentError:
        url = None
    if url is None or url.drivername not in ("postgres", "postgresql", "postgresql+asyncpg") or not url.database:
        raise RegistryUnavailable(
            "the registry's address is not a PostgreSQL database; write postgresql://user:password@host/database"
        )
    query = dict(url.query)
    if "sslmode" in query:  # libpq's name for asyncpg's `ssl`
        query["ssl"] = query.pop("sslmode")
    return url.set(drivername="postgresql+asyncpg", query=query)


def _is_complete(connection: Connection) -> bool:
    """Whether every table exists with every column, so that a start writes nothing."""
    inspector = inspect(connection)
    there = set(inspector.get_table_names())
    return all(
        table.name in there and not list(_missing_columns(connection, table)) for table in METADATA.sorted_tables
    )


def _make_tables(connection: Connection) -> None:
    """Create missing tables, one gateway at a time, because several may start together."""
    if connection.dialect.name != "sqlite":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MAKING_TABLES})
    METADATA.create_all(connection)
    for table in METADATA.sorted_tables:
        for column in _missing_columns(connection, table):
            declared = CreateColumn(column).compile(dialect=connection.dialect)
            connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {declared}"))


def _missing_columns(connection: Connection, table: Table) -> Iterator[Column[Any]]:
    there = {column["name"] for column in inspect(connection).get_columns(table.name)}
    return (column for column in table.columns if column.name not in there)


def _tune(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout=5000")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()


def _leave_transactions(connection: Any, _record: object) -> None:
    """Disable the implicit transactions of Python's driver; `Writer` begins them itself."""
    connection.isolation_level = None
