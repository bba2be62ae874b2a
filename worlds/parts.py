"""Parts of a built world: its database with the tables of some apps only, created when a session first needs this selection.

They are stored below the built worlds, at most `_MOST` of them; beyond that the least recently used one is removed. Several
processes may create, use and remove them at once: a user of a part holds a shared lock until it is copied, and only the holder
of the exclusive lock removes parts.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from soundstage.app_roots import root_of
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.schema import AppTables
from soundstage.contexts.engine.store import create_tables
from soundstage.worlds.partial import partial

if sys.platform == "win32":
    _SHARED = _ALONE_OR_NOT = 0

    def _lock(file: int, how: int) -> None:
        """Do nothing: on this platform an open file cannot be removed."""
else:
    from fcntl import LOCK_EX, LOCK_NB
    from fcntl import LOCK_SH as _SHARED
    from fcntl import flock as _lock

    _ALONE_OR_NOT = LOCK_EX | LOCK_NB

PARTS = "parts"
"""The folder below the built worlds."""
_MOST = 64
_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI


@contextmanager
def part(whole: Path, tables: Mapping[str, AppTables]) -> Iterator[Path]:
    """The file with these apps of a world's database; it is not removed while the block runs.

    An app that the world does not have has empty tables in it.
    """
    folder = whole.parent / PARTS
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{whole.stem}-{_key(tables)}.db"
    with _locked(folder, _SHARED):
        if not path.exists():
            _make(whole, tables, path)
        os.utime(path)  # that it is used
        yield path
    _remove_unused(folder)


def _key(tables: Mapping[str, AppTables]) -> str:
    """The apps' names; with those that did not come with the package, and may change without it, their tables' fingerprints."""
    named = (
        name if root_of(name) is None else f"{name} {declared.fingerprint()}"
        for name, declared in sorted(tables.items())
    )
    return hashlib.blake2b(",".join(named).encode(), digest_size=8).hexdigest()


def _make(whole: Path, tables: Mapping[str, AppTables], path: Path) -> None:
    with partial(path) as made:
        connection = apsw.Connection(str(made), flags=_FLAGS)
        try:
            create_tables(connection, tables, world="", seed=0, clock=Clock("tick", 0))
            # A built world never changes, so SQLite needs neither locks nor extra files.
            connection.execute("ATTACH ? AS whole", (f"{whole.resolve().as_uri()}?immutable=1",))
            with connection:
                _copy(connection, tables)
            connection.execute("DETACH whole")
            connection.pragma("journal_mode", "wal")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()
        made.replace(path)


def _copy(connection: apsw.Connection, tables: Mapping[str, AppTables]) -> None:
    connection.execute("DELETE FROM main._meta")
    connection.execute("INSERT INTO main._meta SELECT * FROM whole._meta")
    connection.execute("INSERT INTO main._account SELECT * FROM whole._account")
    there: Any = connection.execute("SELECT name FROM whole._app").fetchall()
    for app in tables.keys() & {name for (name,) in there}:
        for entity in tables[app].entities.values():
            cells = ", ".join(f'"{name}"' for name in entity.stored)
            table = entity.table.name
            connection.execute(f"INSERT INTO main.{table} ({cells}) SELECT {cells} FROM whole.{table} ORDER BY rowid")  # noqa: S608


def _remove_unused(folder: Path) -> None:
    """Remove the least recently used parts beyond `_MOST`; if a part is in use, leave this to the next call."""
    if len(list(folder.glob("*.db"))) <= _MOST:
        return
    with suppress(BlockingIOError, PermissionError), _locked(folder, _ALONE_OR_NOT):
        newest_first = sorted(folder.glob("*.db"), key=lambda p: -p.stat().st_mtime_ns)
        for path in newest_first[_MOST:]:
            path.unlink()


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    """Hold the folder's lock. Closing its file releases it, also when the process is killed.

    Raises:
        BlockingIOError: another process has the lock, and `how` does not allow waiting.
    """
    file = os.open(folder / "lock", os.O_RDONLY | os.O_CREAT, 0o600)
    try:
        _lock(file, how)
        yield
    finally:
        os.close(file)
