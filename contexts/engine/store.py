"""A session's context: an SQLite database with every app's entities, the session's clock and ids, and the journal.

A step is one transaction that only `step` creates. It contains the work (of a kernel, through an `AppContext`), the receipt and
the journal row. Everything that makes a call repeatable (step, clock, id counters, order of objects) is read and written inside
the transaction, so two processes may have the same context open.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import apsw
import orjson

from soundstage import app_roots
from soundstage.contexts.apps import UnknownTables, tables_of
from soundstage.contexts.engine import accounts, budget, library, pages
from soundstage.contexts.engine.accounts import Accounts
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import Clock, ClockMode, Wait, wall_ms
from soundstage.contexts.engine.execution_limits import Executions
from soundstage.contexts.engine.ids import keyed_digest
from soundstage.contexts.engine.journal import SESSION_USER, Caller, Kind
from soundstage.contexts.engine.migrations import migrate, migration_path
from soundstage.contexts.engine.problems import (
    FILE_ERRORS,
    ContextBusy,
    ContextDamaged,
    ContextEnded,
    ContextError,
    ContextFull,
    ContextTaken,
    file_problem,
    opening,
)
from soundstage.contexts.engine.receipts import Cells, Receipt, Recorder
from soundstage.contexts.engine.schema import AppTables, Entity, SqlValue, StateError
from soundstage.contexts.engine.step import Step

BUSY_TIMEOUT_MS = 5000
STATEMENTS_CACHED = 48
"""Prepared statements that a connection to a context caches, about 3 KB each. With calls that alternate between 15 apps, a cache
of 512 statements used 420 KB more per session and made no call measurably faster.
"""
_PAGES_CACHED_KIB = 64
"""KiB of the database file that a connection caches. SQLite reads other pages again from the operating system's cache. A cache of
512 KiB filled up within 20 calls, used 400 KB more per session, and made no call measurably faster.
"""
_MOST_PAGES = 4294967294

_OWN_DDL = (
    accounts.DDL
    + """
CREATE TABLE _meta (
  id INTEGER PRIMARY KEY CHECK (id = 1), world TEXT NOT NULL, seed INTEGER NOT NULL, step INTEGER NOT NULL,
  seq INTEGER NOT NULL, clock_mode TEXT NOT NULL, clock_at INTEGER NOT NULL, clock_tick INTEGER NOT NULL,
  clock_scale REAL NOT NULL, clock_set_at INTEGER NOT NULL, counters TEXT NOT NULL,
  fence INTEGER NOT NULL DEFAULT 0, owner TEXT, user TEXT) STRICT;
CREATE TABLE _app (name TEXT NOT NULL PRIMARY KEY, fingerprint TEXT NOT NULL, version TEXT,
  since INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE _journal (
  step INTEGER PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL, user TEXT, client TEXT, app TEXT, tool TEXT NOT NULL,
  arguments TEXT, ok INTEGER NOT NULL, is_error INTEGER, error_kind TEXT, reply TEXT, fault TEXT, changeset BLOB NOT NULL,
  duration_us INTEGER NOT NULL, before TEXT NOT NULL) STRICT;
"""
)
FORMAT = int.from_bytes(hashlib.blake2b(_OWN_DDL.encode(), digest_size=4).digest(), "big") >> 1
"""The format number in a context's header. It distinguishes contexts whose internal tables had another layout from damaged ones.
"""
_META = "world, seed, step, seq, clock_mode, clock_at, clock_tick, clock_scale, clock_set_at, counters"
_READ_META = f"SELECT {_META}, fence FROM _meta"  # noqa: S608 constant
_FENCE = 10
"""Index of the fence in a row of `_READ_META`. It follows the columns that a rewind restores."""
_WRITE_META = (
    "UPDATE _meta SET seed=?, step=?, seq=?, clock_mode=?, clock_at=?, clock_tick=?, clock_scale=?, clock_set_at=?, "
    "counters=?"
)


@dataclass(slots=True)
class Meta:
    """The session's own row, as read inside the running transaction.

    `counters` holds the number of ids and numbers drawn per name; `seq` is the number of objects inserted.
    """

    world: str
    seed: int
    step: int
    seq: int
    clock: Clock
    counters: dict[str, int]


class Context:
    """One session's database, open in this process.

    Not thread-safe: the gateway uses a context only from its event loop.

    `tables` maps app names to the tables that the context was created with. `waited_ms` is the time that the running step's app
    reports as its real server's delay before the reply. `may_ask` is true if the gateway puts a kernel's questions to a
    language model (see `model_questions`). `executions` are the executions of user-supplied code in the running call (see
    `execution_limits`).
    """

    def __init__(self, connection: apsw.Connection, tables: dict[str, AppTables]) -> None:
        self._use(connection)
        # SQLite calls the authorizer for each column of each prepared statement, which would make opening a session a sixth
        # slower.
        connection.authorizer = _authorize if any(app_roots.root_of(app) is not None for app in tables) else None
        # All steps share one cursor, because creating one takes the time of a small statement. Callers fetch all rows of a
        # statement at once.
        self._cursor = connection.cursor()
        self.ask = self._cursor.execute
        self.tables = tables
        self.meta: Meta | None = None
        self.fence: int | None = None
        self.max_bytes: int | None = None
        self.acting: str | None = None
        self.waited_ms = 0
        self.may_ask = False
        self.executions = Executions()
        self._recorder: Recorder | None = None
        self._row: tuple[SqlValue, ...] = ()
        self._now_ms = 0
        self._random: random.Random | None = None
        self._views: dict[str, AppContext] = {}

    # -- steps ------------------------------------------------------------------------------------------------------

    def step(
        self,
        kind: Kind,
        tool: str,
        arguments: Any,
        *,
        app: str | None = None,
        caller: Caller = SESSION_USER,
        at_ms: int | None = None,
    ) -> Step:
        """Return a step to run in a `with` block; see `Step`. `at_ms` sets the time that the step sees (for a replay).

        Entering and leaving the block can raise the following errors. The context is unchanged in that case.

        Raises:
            ContextBusy: another process has locked the context.
            ContextDamaged: the file is not readable as a context.
            ContextEnded: the session was deleted meanwhile.
            ContextTaken: another gateway owns the session now.
            ContextFull, DiskFull: see `problem`.
            ClockEnded: the session's clock has stopped and the step is an app's call.
        """
        return Step(self, kind, tool, arguments, app=app, caller=caller, at_ms=at_ms)

    # -- parts of a step, called only by `Step` --------------------------------------------------------------------------

    def begin(self, at_ms: int | None = None) -> Meta:
        """Start a step. `at_ms` sets the time that it sees (for a replay); the default is the time of the session's clock.

        Raises:
            ContextBusy: another process has locked the context.
            ContextDamaged: the file is not readable as a context.
            ContextEnded: the session was deleted meanwhile.
            ContextTaken: another gateway owns the session now.
            DiskFull: the disk has no space to begin.
        """
        try:
            self.ask("BEGIN IMMEDIATE")
            row = self._read_row()
            meta = _meta(row)
        except apsw.BusyError:
            raise ContextBusy from None
        except FILE_ERRORS as error:
            problem = self.problem(error)
            self._abandon()
            raise problem from None
        except BaseException:
            self._abandon()
            raise
        self.meta, self._recorder, self._random, self._row = meta, Recorder(), None, row[:_FENCE]
        self.waited_ms = 0
        self._now_ms = meta.clock.now_ms() if at_ms is None else at_ms
        return meta

    def finish(self, *, ticks: bool = True, wait: Wait | None = None) -> Receipt:
        """Return the receipt of all changes since `begin`, and write step, order, clock and counters.

        `wait` is the time that the client waits for the reply, in addition to the delay reported by the app (`waited_ms`).
        """
        meta, recorder = self._running()
        # The receipt covers only the apps. A rewind restores the session's own row from `before`.
        changeset = recorder.changeset()
        self._recorder = None
        meta.step += 1
        if self.waited_ms:
            wait = Wait(self.waited_ms) if wait is None else Wait(wait.ms + self.waited_ms, wait.real_ms)
        if ticks:
            meta.clock = meta.clock.ticked(wait)
        self._write_meta()
        return Receipt(changeset, orjson.dumps(self._row).decode())

    def has_changes(self) -> bool:
        """Return whether the running step has changed anything so far."""
        return not self._running()[1].is_empty

    def changes_so_far(self) -> bytes:
        """Return the changes of the running step so far as an SQLite changeset."""
        return self._running()[1].changeset()

    def commit(self) -> None:
        """Commit the running transaction."""
        self.ask("COMMIT")
        self.meta = self.acting = None

    def rollback(self) -> None:
        """Roll back the running transaction, if any."""
        self._recorder = None
        if self.connection.in_transaction:
            self.ask("ROLLBACK")
        self.meta = self.acting = None

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Roll back if the block fails, and raise SQLite's file errors as context errors.

        Raises:
            ContextBusy: another process is writing.
            ContextFull, DiskFull, ContextDamaged: see `problem`.
        """
        try:
            yield
        except BaseException as error:
            self.abort(error)
            raise

    def abort(self, error: BaseException) -> None:
        """Roll back after an error; re-raise SQLite errors as `ContextError`."""
        if isinstance(error, apsw.BusyError):
            self.rollback()
            raise ContextBusy from None
        if isinstance(error, FILE_ERRORS):
            problem = self.problem(error)
            self._abandon()
            raise problem from None
        self.rollback()

    @contextmanager
    def transaction(self) -> Iterator[Meta]:
        """Run the block in a transaction outside the journal: to build a world, start a session or restore one.

        Raises:
            ContextTaken: another gateway owns the session now.
            ContextFull, DiskFull, ContextDamaged: see `problem`.
        """
        with self.all_or_nothing():
            self.execute("BEGIN IMMEDIATE")
            meta = self.meta = _meta(self._read_row())
            yield meta
            self._write_meta()
            self.commit()

    def problem(self, error: apsw.Error) -> ContextError:
        """Translate one of `FILE_ERRORS` into a context error. Call it before rolling back.

        SQLite reports a context at its size limit and a full disk with the same error, and undoes the statement before the
        caller can look. This method reports the limit that is nearer.
        """
        if isinstance(error, apsw.FullError) and self.max_bytes is not None and self._left() < self._free():
            return ContextFull(self.max_bytes)
        return file_problem(error)

    # -- size limit ------------------------------------------------------------------------------------------------------

    def limit(self, max_bytes: int | None) -> None:
        """Limit the context to `max_bytes`; None removes the limit. A context that is already larger does not shrink."""
        self.max_bytes = max_bytes
        pages = _MOST_PAGES if max_bytes is None else max(1, max_bytes // self._pragma("page_size"))
        self.connection.pragma("max_page_count", pages)

    @contextmanager
    def without_limit(self) -> Iterator[None]:
        """Lift the limit for work that restores an earlier state of the context."""
        limit = self.max_bytes
        if limit is None:
            yield
            return
        self.limit(None)
        try:
            yield
        finally:
            self.limit(limit)

    @property
    def size(self) -> int:
        """The size of the context in bytes, including its journal."""
        return self._pragma("page_count") * self._pragma("page_size")

    def _left(self) -> int:
        return (self._pragma("max_page_count") - self._pragma("page_count")) * self._pragma("page_size")

    @property
    def file(self) -> str | None:
        """The path of the context's file; None for a context in memory."""
        return None if pages.in_memory(self.connection) else self.connection.filename

    def _free(self) -> float:
        """Return the free bytes of the context's disk; infinity for a context in memory."""
        file = self.file
        return float("inf") if file is None else shutil.disk_usage(os.path.dirname(file)).free

    def _pragma(self, name: str) -> int:
        return int(self.connection.pragma(name))

    def now_ms(self) -> int:
        """Return the time of the running step in milliseconds since 1970."""
        return self._now_ms

    def read_meta(self) -> Meta:
        """Return the session's own row.

        Raises:
            ContextEnded: the session has been deleted.
        """
        return _meta(self.execute(_READ_META).fetchone())

    def claim(self, fence: int) -> None:
        """Make this connection the only writer: connections with a lower fence are rejected from now on.

        The fence is the number of the session's lease. It is stored in the context's own file, so each step checks in its own
        transaction whether the lease of this process is still the newest.

        Raises:
            ContextTaken: the context is owned with a higher fence.
            ContextBusy: another process is writing.
            DiskFull, ContextDamaged: see `problem`.
        """
        with self.all_or_nothing():
            self.execute("BEGIN IMMEDIATE")
            if (current := read_fence(self.connection)) is not None and current > fence:
                raise ContextTaken(self)
            self.execute("UPDATE _meta SET fence = ?", (fence,))
            self.execute("COMMIT")
        self.fence = fence

    def restore_meta(self, before: str) -> None:
        """Restore the session's own row from before a step, inside a `transaction`."""
        self.meta = _meta(tuple(orjson.loads(before)))

    def set_clock(
        self,
        *,
        mode: ClockMode | None = None,
        at_ms: int | None = None,
        tick_ms: int | None = None,
        scale: float | None = None,
    ) -> None:
        """Change the clock inside the running step; omitted values do not change."""
        meta = self._running_meta()
        old = meta.clock
        meta.clock = Clock(
            mode or old.mode,
            old.now_ms() if at_ms is None else at_ms,
            old.tick_ms if tick_ms is None else tick_ms,
            old.scale if scale is None else scale,
            wall_ms(),
        )

    # -- views and raw helpers --------------------------------------------------------------------------------------

    def app(self, name: str) -> AppContext:
        """The context as one app's kernels see it."""
        view = self._views.get(name)
        if view is None:
            view = self._views[name] = AppContext(self, self.tables[name])
        return view

    def tables_of(self, app: object) -> AppTables:
        """Return one app's tables.

        Raises:
            StateError: the context was created without the app; names the apps that it has.
        """
        tables = self.tables.get(app) if isinstance(app, str) else None
        if tables is None:
            raise StateError(str(app), f"is not an app of this session; its apps: {', '.join(self.tables) or 'none'}")
        return tables

    def record(self, entity: Entity, before: Cells | None, after: Cells | None) -> None:
        """Add a row to the running step's receipt; a transaction outside the journal has none."""
        if self._recorder is not None:
            self._recorder.record(entity, before, after)

    def next_number(self, name: str) -> int:
        """1, 2, 3 … for this name in this session."""
        counters = self._running_meta().counters
        number = counters[name] = counters.get(name, 0) + 1
        return number

    def next_seq(self) -> int:
        """Return the next number in the order of created objects."""
        meta = self._running_meta()
        meta.seq += 1
        return meta.seq

    def step_random(self) -> random.Random:
        """Return the running step's random generator, seeded from the session's seed and the step's number."""
        if self._random is None:
            meta = self._running_meta()
            self._random = random.Random(keyed_digest(meta.seed, "random", meta.step))  # noqa: S311 seeded on purpose
        return self._random

    def mark_deleted(self) -> None:
        """Mark the context as deleted, so that other processes that have it open stop writing to a removed file.

        Its log is not copied into that file any more; closing the context would otherwise wait for the disk.
        """
        self.execute("DELETE FROM _meta")
        self.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)

    def close(self) -> None:
        """Roll back what is running and close the connection."""
        with suppress(apsw.ConnectionClosedError):
            self._abandon()
            self.connection.close()

    def detach(self) -> apsw.Connection:
        """Release the connection for reuse.

        The context is closed for its users, so that they cannot read the next context's rows.
        """
        connection = self.connection
        with suppress(apsw.ConnectionClosedError):
            self._abandon()
        self._cursor.close(force=True)
        self._use(_CLOSED)
        return connection

    def _use(self, connection: apsw.Connection) -> None:
        self.connection = connection
        if connection is not _CLOSED:
            budget.watch_statements(connection)
        self.execute = connection.execute
        self.accounts = Accounts(connection.execute)

    def _read_row(self) -> tuple[SqlValue, ...]:
        """The session's own row, read inside a transaction that is going to write."""
        rows: Any = self.ask(_READ_META).fetchall()
        row: Any = rows[0] if rows else None
        if self.fence is not None and row is not None and row[_FENCE] != self.fence:
            raise ContextTaken(self)
        return row  # type: ignore[no-any-return]

    def _write_meta(self) -> None:
        meta = self._running_meta()
        clock = meta.clock
        self.ask(
            _WRITE_META,
            (meta.seed, meta.step, meta.seq, clock.mode, clock.at_ms, clock.tick_ms, clock.scale, clock.set_at_ms,
             orjson.dumps(meta.counters).decode()),
        )  # fmt: skip

    def _running(self) -> tuple[Meta, Recorder]:
        if self.meta is None or self._recorder is None:
            raise RuntimeError("no step is running in this context")
        return self.meta, self._recorder

    def _running_meta(self) -> Meta:
        if self.meta is None:
            raise RuntimeError("no transaction is running in this context")
        return self.meta

    def _abandon(self) -> None:
        try:
            self.rollback()
        except apsw.Error:
            self.meta = None  # a damaged file may fail even on ROLLBACK; the storage closes the connection


_CLOSED = apsw.Connection(":memory:")
_CLOSED.close()


def create_tables(
    connection: apsw.Connection, tables: Mapping[str, AppTables], *, world: str, seed: int, clock: Clock
) -> None:
    """Make an empty context: these apps' tables, the journal, and the session's own row."""
    with connection:
        connection.execute(_OWN_DDL)
        connection.pragma("user_version", FORMAT)
        for name, declared in tables.items():
            for statement in declared.ddl():
                connection.execute(statement)
            connection.execute("INSERT INTO _app (name, fingerprint) VALUES (?, ?)", (name, declared.fingerprint()))
        connection.execute(
            f"INSERT INTO _meta (id, {_META}) VALUES (1, ?, ?, 0, 0, ?, ?, ?, ?, ?, '{{}}')",  # noqa: S608 constant
            (world, seed, clock.mode, clock.at_ms, clock.tick_ms, clock.scale, clock.set_at_ms),
        )


def tune(connection: apsw.Connection) -> apsw.Connection:
    """Set what every connection to a context needs."""
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    # Stable query plans: otherwise SQLite prepares a statement again whenever a bound LIMIT or range bound changes.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    if not pages.in_memory(connection):
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA cache_size=-{_PAGES_CACHED_KIB}")
    return connection


_NEVER = frozenset({
    apsw.SQLITE_ATTACH, apsw.SQLITE_DETACH, apsw.SQLITE_CREATE_TRIGGER, apsw.SQLITE_CREATE_TEMP_TRIGGER,
    apsw.SQLITE_CREATE_VIEW, apsw.SQLITE_CREATE_TEMP_VIEW, apsw.SQLITE_CREATE_VTABLE,
})  # fmt: skip
_PRAGMAS = frozenset({
    "cache_size", "defer_foreign_keys", "integrity_check", "journal_mode", "locking_mode", "max_page_count", "query_only",
    "quick_check", "synchronous", "table_info", "table_xinfo", "user_version", "wal_checkpoint",
})  # fmt: skip
"""Pragmas that the engine gives a value."""


def _authorize(operation: int, first: str | None, second: str | None, database: str | None, inside: str | None) -> int:
    """Deny what no statement of the engine does, in sessions with apps that are not trusted."""
    if operation in _NEVER:
        return apsw.SQLITE_DENY
    if operation == apsw.SQLITE_PRAGMA and second is not None and first not in _PRAGMAS:
        return apsw.SQLITE_DENY
    if operation == apsw.SQLITE_FUNCTION and second == "load_extension":
        return apsw.SQLITE_DENY
    return apsw.SQLITE_OK


def open_context(connection: apsw.Connection) -> Context:
    """Open a context on a connection, after checking that it is one and that this version supports it.

    The connection is closed on failure.

    Raises:
        ContextDamaged: not a database, or not a context.
        DiskFull: the disk has no space for the files that an open context needs.
        ContextError: an app's tables differ from the current declarations, or the app no longer exists.
    """
    with opening(connection):
        context = Context(tune(connection), declared_tables(connection))
        context.read_meta()
    return context


def declared_tables(connection: apsw.Connection) -> dict[str, AppTables]:
    """Return the tables of a stored context's apps, migrating tables of earlier versions.

    Raises:
        ContextError: an app no longer exists, no migration leads to its current tables, or the connection is read-only.
    """
    by_app: dict[str, AppTables] = {}
    for tables, fingerprint in _stored_tables(connection):
        by_app[tables.app] = tables
        if fingerprint == tables.fingerprint():
            continue
        if connection.readonly("main"):
            migration_path(tables, fingerprint)
            raise ContextError(f"the session's {tables.app} tables are brought up to date when it is next used")
        migrate(connection, tables, fingerprint)
    return by_app


def check_tables(connection: apsw.Connection) -> None:
    """See that a stored context can be used today, without changing it.

    Raises:
        ContextError: see `declared_tables`.
    """
    for tables, fingerprint in _stored_tables(connection):
        migration_path(tables, fingerprint)


def _stored_tables(connection: apsw.Connection) -> list[tuple[AppTables, str]]:
    """The tables of a stored context's apps as they are declared now, each with the fingerprint of those that it has."""
    rows: Any = connection.execute("SELECT name, fingerprint FROM _app ORDER BY name").fetchall()
    if connection.pragma("user_version") != FORMAT:
        raise ContextError(
            "the session was made by a version of Soundstage with another storage format; reset it to its world, or delete it"
        )
    try:
        return [(tables_of(name), fingerprint) for name, fingerprint in rows]
    except UnknownTables as error:
        raise ContextError(f"the session has an app that is not here any more ({error}); delete the session") from None


def read_versions(connection: apsw.Connection) -> dict[str, str]:
    """App → the version with which the session's calls were answered when it was made."""
    rows: Any = connection.execute("SELECT name, version FROM _app WHERE version IS NOT NULL ORDER BY name").fetchall()
    return dict(rows)


def read_fence(connection: apsw.Connection) -> int | None:
    """The fence of the context as it is stored; None when the session was deleted."""
    row: Any = connection.execute("SELECT fence FROM _meta").fetchone()
    return None if row is None else int(row[0])


def digest(context: Context) -> str:
    """Return a hash of every app's objects by key, and of the library if an app is backed by it.

    The order of objects, the journal, clock and ids do not affect it. Equal states have equal digests on any machine, also
    after export and import as a tree, which has no order across parents.
    """
    state = hashlib.blake2b(digest_size=16)
    if library.NAME in context.tables:
        state.update(library.shared().digest.encode())
    for app, tables in context.tables.items():
        for entity in tables.entities.values():
            by_key = ", ".join(f'"{name}"' for name in entity.key)
            query = f"SELECT {', '.join(entity.quoted)} FROM {entity.table.name} ORDER BY {by_key}"  # noqa: S608
            for row in context.execute(query):
                state.update(repr((app, entity.name, row)).encode())
    return state.hexdigest()


def _meta(row: tuple[Any, ...] | None) -> Meta:
    if row is None:
        raise ContextEnded("this session has been deleted")
    try:
        counters = orjson.loads(row[9])
    except orjson.JSONDecodeError as error:
        raise ContextDamaged(f"its own row cannot be read ({error})") from None
    return Meta(row[0], row[1], row[2], row[3], Clock(row[4], row[5], row[6], row[7], row[8]), counters)
