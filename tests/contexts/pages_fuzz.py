"""Random statements in databases that share their world's pages, compared with ordinary databases in memory: every result,
error and row must be equal. `python -m tests.contexts.pages_fuzz --statements 1000000` (`make fuzz`).
"""

from __future__ import annotations

import argparse
import hashlib
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import apsw

from soundstage.contexts.engine import pages

_TABLES = 4
_ROWS = 120
_MOST_AT_ONCE = 6
"""Maximum number of databases, and of their images, at a time."""
_PAGE_SIZES = (512, 1024, 4096, 16384)
_ROUND = 2500
"""Statements per world. The next world has another page size."""
_OF_TABLES = ("VACUUM", "CREATE", "DROP")


@dataclass(slots=True)
class Pair:
    """One database twice: `ours` shares pages, and `plain` has separate ones."""

    ours: apsw.Connection
    plain: apsw.Connection

    def close(self) -> None:
        self.ours.close()
        self.plain.close()


@dataclass(frozen=True, slots=True)
class SavedPair:
    """An image of both databases of a pair."""

    ours: pages.PageImage
    plain: apsw.Connection


def make_world(path: Path, page_size: int, chance: random.Random) -> None:
    """A file as worlds are, written with a log."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute(f"PRAGMA page_size={page_size}")
    with connection:
        for table in range(_TABLES):
            connection.execute(f"CREATE TABLE t{table} (id INTEGER PRIMARY KEY, a TEXT, b BLOB, c REAL, d INTEGER)")
            connection.execute(f"CREATE INDEX t{table}_a ON t{table} (a, d)")
            connection.executemany(
                f"INSERT INTO t{table} VALUES (?, ?, ?, ?, ?)", [(i, *_row(chance)) for i in range(_ROWS)]
            )
        connection.execute("CREATE UNIQUE INDEX t0_d ON t0 (d, id)")
    connection.pragma("journal_mode", "wal")
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def compared(statements: int, seed: int, folder: Path) -> int:
    """Run `statements` statements in both ways, and return how many digests of whole databases were compared.

    Raises:
        AssertionError: if the databases differ, with the seed.
    """
    chance = random.Random(seed)
    digests = 0
    for number, first in enumerate(range(0, statements, _ROUND)):
        path = folder / f"world-{seed}-{number}.db"
        make_world(path, chance.choice(_PAGE_SIZES), chance)
        digests += _round(path, min(_ROUND, statements - first), chance, f"seed {seed}, round {number}")
        path.unlink()
    return digests


def _round(path: Path, statements: int, chance: random.Random, where: str) -> int:
    beginning = pages.PageImage.initial(pages.World(path))
    whole = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    pairs = [Pair(_shared(beginning, chance), _copy(whole))]
    whole.close()
    saved_pairs: list[SavedPair] = []
    digests = 0
    same_tables = chance.random() < 0.5  # as in sessions: then a return reads their declarations at no time
    for number in range(statements):
        at = chance.randrange(len(pairs))
        pair = pairs[at]
        if chance.random() < 0.02 and not pair.plain.in_transaction:
            _rearrange(pairs, at, saved_pairs, chance)
            continue
        sql, bindings = _statement(chance)
        if not (same_tables and sql.startswith(_OF_TABLES)):
            _both(pair, sql, bindings, f"{where}, statement {number}")
        if number % 250 == 249:
            digests += _same(pair, where)
    digests += sum(_same(p, where) for p in pairs)
    for pair in pairs:
        pair.close()
    for image in saved_pairs:
        image.plain.close()
    return digests


def _rearrange(pairs: list[Pair], at: int, saved_pairs: list[SavedPair], chance: random.Random) -> None:
    """Fork, save an image, return to one, write a file, close and reopen, or rest and continue."""
    pair = pairs[at]
    now = pages.image_of(pair.ours)
    assert now is not None
    match chance.randrange(7):
        case 0:
            fork = Pair(_shared(now, chance), _copy(pair.plain))
            if len(pairs) < _MOST_AT_ONCE:
                pairs.append(fork)
            else:
                pair.close()
                pairs[at] = fork
        case 1:
            saved_pairs.append(SavedPair(now, _copy(pair.plain)))
            if len(saved_pairs) > _MOST_AT_ONCE:
                saved_pairs.pop(chance.randrange(len(saved_pairs))).plain.close()
        case 2 | 3 if saved_pairs:
            image = chance.choice(saved_pairs)
            pages.restore(pair.ours, image.ours)
            with pair.plain.backup("main", image.plain, "main") as backup:
                backup.step()
        case 4:
            _same_as_file(now, pair.plain)
        case 5 if pages.reset_to_world(pair.ours) is not None:
            pages.restore(pair.ours, now)
        case _:
            pair.ours.close()
            pair.ours = _shared(now, chance)


def _same_as_file(now: pages.PageImage, plain: apsw.Connection) -> None:
    """Check that an image written into a WAL file equals the database."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/saved.db"
        pages.save(now, path, with_log=True)
        saved = apsw.Connection(path)
        assert saved.pragma("journal_mode") == "wal"
        _same(Pair(saved, plain), path)
        saved.close()


def _shared(image: pages.PageImage, chance: random.Random) -> apsw.Connection:
    connection = pages.connect(image, statements=20)
    connection.execute(f"PRAGMA cache_size={chance.choice((4, 10, 40))}")  # so that pages are written before the commit
    return connection


def _copy(source: apsw.Connection) -> apsw.Connection:
    copy = apsw.Connection(":memory:")
    with copy.backup("main", source, "main") as backup:
        backup.step()
    return copy


def _statement(chance: random.Random) -> tuple[str, tuple[apsw.SQLiteValue, ...]]:
    table = f"t{chance.randrange(_TABLES)}"
    some, row = chance.randrange(_ROWS * 2), _row(chance)
    few = some + chance.randrange(60)
    choices: list[tuple[float, str, tuple[apsw.SQLiteValue, ...]]] = [
        (20, f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", (some, *row)),
        (8, f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?, ?)", (some, *row)),
        (15, f"UPDATE {table} SET a = ?, b = ? WHERE id = ?", (row[0], row[1], some)),
        (4, f"UPDATE {table} SET d = d + 1, c = ? WHERE id BETWEEN ? AND ?", (row[2], some, few)),
        (8, f"DELETE FROM {table} WHERE id = ?", (some,)),
        (3, f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", (some, few)),
        (15, f"SELECT * FROM {table} WHERE a >= ? ORDER BY a, id LIMIT 5", (row[0],)),
        (3, f"SELECT count(*), sum(length(b)), max(a), total(c) FROM {table}", ()),
        (0.5, f"SELECT a, b FROM {table} ORDER BY b, id", ()),
        (8, "BEGIN IMMEDIATE", ()),
        (10, "COMMIT", ()),
        (4, "ROLLBACK", ()),
        (4, "SAVEPOINT one", ()),
        (2, "ROLLBACK TO one", ()),
        (2, "RELEASE one", ()),
        (0.3, "VACUUM", ()),
        (0.3, f"CREATE INDEX IF NOT EXISTS more_{table} ON {table} (c)", ()),
        (0.3, f"DROP INDEX IF EXISTS more_{table}", ()),
        (0.3, f"CREATE TABLE IF NOT EXISTS more AS SELECT * FROM {table}", ()),
        (0.3, "DROP TABLE IF EXISTS more", ()),
        (0.1, f"DELETE FROM {table}", ()),
        (0.3, "PRAGMA user_version = 7", ()),
    ]
    ((_, sql, bindings),) = chance.choices(choices, [weight for weight, *_ in choices])
    return sql, bindings


def _row(chance: random.Random) -> tuple[str, bytes, float, int]:
    length = chance.choice((3, 40, 40, 40, 700, 3000))
    return chance.randbytes(4).hex(), chance.randbytes(length), chance.random(), chance.randrange(1000)


def _both(pair: Pair, sql: str, bindings: tuple[apsw.SQLiteValue, ...], where: str) -> None:
    ours, plain = _answer(pair.ours, sql, bindings), _answer(pair.plain, sql, bindings)
    if ours != plain:  # not left to pytest, which would show blobs of kilobytes
        raise AssertionError(f"{where}: {sql} {bindings!r:.80}: {ours!r:.200} instead of {plain!r:.200}")
    assert pair.ours.in_transaction == pair.plain.in_transaction, f"{where}: {sql}"


def _answer(connection: apsw.Connection, sql: str, bindings: tuple[apsw.SQLiteValue, ...]) -> object:
    try:
        return connection.execute(sql, bindings).fetchall()
    except apsw.Error as error:
        return type(error), str(error)


def _same(pair: Pair, where: str) -> int:
    assert _digest(pair.ours) == _digest(pair.plain), f"{where}: the databases differ"
    assert pair.ours.execute("PRAGMA integrity_check").fetchall() == [("ok",)], f"{where}: not intact"
    return 1


def _digest(connection: apsw.Connection) -> str:
    hasher = hashlib.blake2b()
    names = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
    hasher.update(repr(names).encode())
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall():
        for row in connection.execute(f"SELECT rowid, * FROM {name} ORDER BY rowid"):
            hasher.update(repr(row).encode())
    return hasher.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.contexts.pages_fuzz")
    parser.add_argument("--statements", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        digests = compared(arguments.statements, arguments.seed, Path(folder))
    print(f"{arguments.statements:,} statements, {digests:,} digests, no difference; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
