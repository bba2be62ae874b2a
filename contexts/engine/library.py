"""The library: facts that all sessions share (places, web pages, companies, medicines), in one read-only file.

It is built from `soundstage.worlds.library`, opened at its first use, and shared by all sessions of a process. Its facts are
grouped by realm (`soundstage.contexts.library`). An app presents them as entities that are *backed* by them
(`AppTables.entity(…, backed=…)`), and derives others with `AppContext.library`.

A backed entity reads the library until state is set for that entity. A session's own rows, and the source of each entity, are
rows of its context like any others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import apsw
from sqlalchemy import Column, Text

from soundstage.contexts.engine import budget
from soundstage.contexts.engine.schema import AppTables, Entity, Object, SqlValue, query_of

T = TypeVar("T")

Objects = list[Object]
Rows = list[tuple[Any, ...]]

NAME = "library"

Source = Literal["library", "own", "both"]
"""The source of a backed entity: the library, the context's rows, or both, where a row replaces the fact with its key."""

TABLES = AppTables(NAME)

# A backed entity that is not named here reads the library.
SOURCE = TABLES.entity(
    "source",
    Column("app", Text, primary_key=True),
    Column("entity", Text, primary_key=True),
    Column("reads", Text, nullable=False),
    misfit=lambda row: None if row.get("reads") in ("library", "own", "both") else "reads: library, own or both",
)

DIGEST_DDL = "CREATE TABLE _library (digest TEXT NOT NULL) STRICT"
"""The table with the hash of all facts of a library."""
_STATEMENTS_CACHED = 256


@dataclass(frozen=True, slots=True)
class Match:
    """A fact with its location, and its key as text."""

    realm: str
    entity: str
    key: str
    fact: Object


def key_text(declared: Entity, fact: Object) -> str:
    """A fact's key as one text: its fields, with a slash between them."""
    return "/".join(str(fact[name]) for name in declared.key)


class NoLibrary(RuntimeError):
    """Raised if a process uses the library without having set its location."""


class NotPrepared(BaseException):
    """A call needs something derived from the library that does not exist yet, such as an index. `prepare` makes it.

    It is not an error, and no handler of errors may catch it.
    """

    def __init__(self, name: str, prepare: Callable[[], object]) -> None:
        super().__init__(f"{name} is not prepared yet")
        self.name = name
        self.prepare = prepare


_raises_unprepared: ContextVar[bool] = ContextVar("raises_unprepared", default=False)


@contextmanager
def raising_unprepared() -> Iterator[None]:
    """Let `Library.cached` raise `NotPrepared` within the block instead of making what is missing, which can take seconds."""
    token = _raises_unprepared.set(True)
    try:
        yield
    finally:
        _raises_unprepared.reset(token)


class Library:
    """The library's file, open for reading. Threads may share it."""

    def __init__(self, path: Path, realms: Mapping[str, AppTables]) -> None:
        self._address = f"{path.resolve().as_uri()}?immutable=1"
        self.realms = realms
        self._connections = threading.local()
        self._cache: dict[str, Any] = {}
        self._lock = threading.RLock()
        self.digest = str(self.ask("SELECT digest FROM _library", ())[0][0])

    def get(self, realm: str, entity: str, key: SqlValue | tuple[SqlValue, ...]) -> Object | None:
        """The fact with this key, or None."""
        declared = self.realms[realm].entities[entity]
        rows = self.ask(declared.get_sql, key if isinstance(key, tuple) else (key,))
        return declared.decode(rows[0]) if rows else None

    def list(
        self,
        realm: str,
        entity: str,
        where: Mapping[str, Any] | None = None,
        *,
        order: Sequence[str] | str = (),
        limit: int | None = None,
    ) -> Objects:
        """The facts that fit, in the library's order or that of the fields named; see `AppContext.list`."""
        return self.select(self.realms[realm].entities[entity], where, order, limit)

    def counts(self) -> dict[str, dict[str, int]]:
        """Realm → entity → how many facts there are."""
        return self.cached("counts", _counted)

    def declared(self, realm: str, entity: str) -> Entity | None:
        """How an entity of a realm is declared; None where there is none."""
        tables = self.realms.get(realm)
        return None if tables is None else tables.entities.get(entity)

    def find(self, words: str, limit: int) -> Iterator[Match]:
        """Yield the facts with these words in any field, ignoring case; at most `limit` of each entity."""
        for realm, tables in self.realms.items():
            for entity, declared in tables.entities.items():
                text = " || ' ' || ".join(f"coalesce(\"{name}\", '')" for name in declared.fields)
                columns, table = ", ".join(declared.quoted), declared.table.name
                sql = f'SELECT {columns} FROM "{table}" WHERE instr(lower({text}), ?) LIMIT ?'  # noqa: S608 declared
                for row in self.ask(sql, (words.lower(), limit)):
                    fact = declared.decode(row)
                    yield Match(realm, entity, key_text(declared, fact), fact)

    def by_text(self, realm: str, entity: str, key: str) -> Object | None:
        """The fact with this key as `key_text` writes it, or None."""
        declared = self.realms[realm].entities[entity]
        whole = " || '/' || ".join(f'"{name}"' for name in declared.key)
        columns, table = ", ".join(declared.quoted), declared.table.name
        rows = self.ask(f'SELECT {columns} FROM "{table}" WHERE {whole} = ? LIMIT 1', (key,))  # noqa: S608 declared
        return declared.decode(rows[0]) if rows else None

    def cached(self, name: str, make: Callable[[Library], T]) -> T:
        """Return what `make` derives from the library, such as an index; made at the first request for `name`, then cached.

        Raises:
            NotPrepared: It does not exist yet, within `raising_unprepared`.
        """
        if _raises_unprepared.get() and name not in self._cache:
            raise NotPrepared(name, lambda: self.cached(name, make))
        with self._lock:
            if name not in self._cache:
                with budget.paused():
                    self._cache[name] = make(self)
            value: T = self._cache[name]
            return value

    def select(
        self,
        declared: Entity,
        where: Mapping[str, Any] | None = None,
        order: Sequence[str] | str = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> Objects:
        """The rows of an entity, a realm's or a backed one; see `AppContext.list`."""
        names = (order,) if isinstance(order, str) else order
        return [declared.decode(row) for row in self.ask(*query_of(declared, where, names, limit, offset))]

    def ask(self, sql: str, values: Sequence[SqlValue]) -> Rows:
        """The rows that a statement finds, all of them."""
        connection: apsw.Connection | None = getattr(self._connections, "open", None)
        if connection is None:
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            connection = apsw.Connection(self._address, flags=flags, statementcachesize=_STATEMENTS_CACHED)
            budget.watch_statements(connection)
            self._connections.open = connection
        rows: Any = connection.execute(sql, tuple(values)).fetchall()
        return rows  # type: ignore[no-any-return]


def _counted(library: Library) -> dict[str, dict[str, int]]:
    return {
        realm: {
            name: int(library.ask(*query_of(entity, None, count=True))[0][0])
            for name, entity in tables.entities.items()
        }
        for realm, tables in library.realms.items()
    }


_open: Callable[[], Library] | None = None
_opened: Library | None = None
_lock = threading.RLock()


def provide(open_library: Callable[[], Library]) -> None:
    """Say how this process opens the library, when it is first needed; the first to say so is asked."""
    global _open
    with _lock:
        if _open is None:
            _open = open_library


def shared() -> Library:
    """Return the process's library, opening it at the first call.

    Raises:
        NoLibrary: its location has not been set.
    """
    global _opened
    if _opened is None:
        with _lock:
            if _open is None:
                raise NoLibrary(
                    "the location of the library is not set in this process: call soundstage.worlds.library.serve(folder)"
                )
            if _opened is None:
                with budget.paused():  # it may have to be built first
                    _opened = _open()
    return _opened
