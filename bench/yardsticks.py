"""Yardsticks without a server: the time that SQLite and the file system need for the same work."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw

_TABLE = (
    "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT, created INTEGER, status TEXT) STRICT"
)
_STATEMENTS = 100


class WriteCall:
    """One writing call with apsw alone: begin, insert, select, update, take the changeset, commit.

    In memory without `path`; otherwise in a file with WAL and `synchronous=NORMAL`.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._connection = apsw.Connection(":memory:" if path is None else str(path), statementcachesize=_STATEMENTS)
        if path is not None:
            self._connection.pragma("journal_mode", "wal")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.execute(_TABLE)
        self._execute = self._connection.execute

    def __call__(self, number: int) -> None:
        """Write one row in a transaction."""
        execute = self._execute
        execute("BEGIN IMMEDIATE")
        recorder = apsw.Session(self._connection, "main")
        recorder.attach()
        execute(
            "INSERT INTO note VALUES (?, ?, ?, ?, ?)",
            (number, f"note {number}", "a body of some words", number, "open"),
        )
        execute("SELECT id, title, body, created, status FROM note WHERE id = ?", (number,)).fetchone()
        execute("UPDATE note SET status = ? WHERE id = ?", ("kept", number))
        recorder.changeset()
        recorder.close()
        execute("COMMIT")

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


class FileCopy:
    """A database file copied, opened and asked once."""

    def __init__(self, world: Path, folder: Path) -> None:
        self._world = world
        self._copy = folder / "copy.db"

    def __call__(self, number: int) -> None:
        """Copy the file once."""
        shutil.copyfile(self._world, self._copy)
        _ask(apsw.Connection(str(self._copy)))


class Deserialized:
    """A database in memory from its image, asked once."""

    def __init__(self, world: Path) -> None:
        image = bytearray(world.read_bytes())
        image[18:20] = b"\x01\x01"  # a header that asks for WAL cannot be opened in memory
        self._image = bytes(image)

    def __call__(self, number: int) -> None:
        """Deserialize the database once."""
        connection = apsw.Connection(":memory:")
        connection.deserialize("main", self._image)
        _ask(connection)


class Backup:
    """All pages of a database copied into memory."""

    def __init__(self, world: Path) -> None:
        self._source = apsw.Connection(str(world), flags=apsw.SQLITE_OPEN_READONLY)

    def __call__(self, number: int) -> None:
        """Back up the database once."""
        copy = apsw.Connection(":memory:")
        with copy.backup("main", self._source, "main") as backup:
            backup.step()
        _ask(copy)


def _ask(connection: apsw.Connection) -> None:
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    connection.close()
