from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from soundstage.contexts.engine import pages
from tests.contexts import pages_fuzz

STATEMENTS = 10_000


@pytest.fixture
def world(tmp_path: Path) -> Path:
    path = tmp_path / "world.db"
    connection = apsw.Connection(str(path))
    with connection:
        connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
        connection.executemany("INSERT INTO note VALUES (?, ?)", [(i, "x" * 500) for i in range(2000)])
    connection.pragma("journal_mode", "wal")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path


def _open(path: Path) -> apsw.Connection:
    return pages.connect(pages.PageImage.initial(pages.World(path)), statements=10)


def _image(connection: apsw.Connection) -> pages.PageImage:
    image = pages.image_of(connection)
    assert image is not None
    return image


def test_random_statements_forks_and_returns_equal_ordinary_databases(tmp_path: Path) -> None:
    assert pages_fuzz.compared(STATEMENTS, 1, tmp_path) > STATEMENTS / 250


def test_only_written_pages_are_stored_separately(world: Path) -> None:
    connection = _open(world)
    assert len(_image(connection).written) == 1
    connection.execute("UPDATE note SET text = 'changed' WHERE id = 1000")
    assert len(_image(connection).written) == 2
    assert world.stat().st_size > 200 * 4096


def test_a_world_may_be_replaced_and_removed_under_its_sessions(world: Path) -> None:
    connection = _open(world)
    other = world.with_name("other.db")
    other.write_bytes(bytes(world.stat().st_size))
    other.replace(world)
    world.unlink()
    assert connection.execute("SELECT count(*), sum(length(text)) FROM note").fetchall() == [(2000, 1_000_000)]
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_the_worlds_file_is_never_written(world: Path) -> None:
    before = world.read_bytes()
    connection = _open(world)
    connection.execute("DELETE FROM note")
    connection.execute("VACUUM")
    connection.close()
    assert world.read_bytes() == before
    assert [p.name for p in world.parent.iterdir()] == [world.name]


def test_nothing_is_copied_in_the_middle_of_a_transaction(world: Path) -> None:
    connection = _open(world)
    beginning = _image(connection)
    with connection:
        connection.execute("DELETE FROM note")
        with pytest.raises(RuntimeError, match="between its transactions"):
            pages.image_of(connection)
        with pytest.raises(RuntimeError, match="between its transactions"):
            pages.restore(connection, beginning)


def test_tables_of_a_branch_are_unknown_after_a_return(world: Path) -> None:
    """Both branches have the same table version, and the return must be distinguished from it."""
    connection = _open(world)
    beginning = _image(connection)
    connection.execute("CREATE INDEX by_text ON note (text)")
    connection.execute("SELECT id FROM note WHERE text = 'a'").fetchall()
    fork = pages.connect(beginning, statements=10)
    fork.execute("CREATE TABLE other AS SELECT * FROM note LIMIT 10")
    pages.restore(connection, _image(fork))
    assert connection.execute("SELECT count(*) FROM other").fetchall() == [(10,)]
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_full_database_reports_it_and_continues(world: Path) -> None:
    connection = _open(world)
    connection.pragma("max_page_count", connection.pragma("page_count"))
    with pytest.raises(apsw.FullError):
        connection.executemany("INSERT INTO note (text) VALUES (?)", [("x" * 4000,) for _ in range(50)])
    connection.execute("DELETE FROM note WHERE id < 1000")
    connection.executemany("INSERT INTO note (text) VALUES (?)", [("y" * 400,) for _ in range(50)])
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
