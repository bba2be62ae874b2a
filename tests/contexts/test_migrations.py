"""Stored contexts whose app has other tables in a later version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from sqlalchemy import Column, Text

from soundstage.contexts.engine import journal, store
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.problems import ContextDamaged, ContextError
from soundstage.contexts.engine.schema import AppTables
from soundstage.contexts.engine.storage import DurableStorage
from soundstage.contexts.engine.store import Context, create_tables, digest
from tests.contexts.conftest import EPOCH_MS
from tests.contexts.steps import step

CLOCK = Clock("tick", EPOCH_MS)
Declare = Callable[[AppTables], AppTables]


def _pens(*, with_ink: bool) -> AppTables:
    pens = AppTables("sample")
    ink = (Column("ink", Text),) if with_ink else ()
    pens.entity("pen", Column("id", Text, primary_key=True), *ink, Column("colour", Text))
    return pens


OLD = _pens(with_ink=False)
STATEMENTS = (
    "ALTER TABLE sample_pen RENAME TO was",
    "DROP INDEX sample_pen_in_order",
    *_pens(with_ink=True).ddl(),
    "INSERT INTO sample_pen SELECT id, 'blue', colour, _extra, _seq FROM was",
    "DROP TABLE was",
)


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch) -> Declare:
    """Returns a function that replaces the sample app's tables."""
    other = AppTables("other")
    other.entity("thing", Column("id", Text, primary_key=True))

    def declared(tables: AppTables) -> AppTables:
        monkeypatch.setattr(store, "tables_of", lambda app: tables if app == "sample" else other)
        return tables

    return declared


@pytest.fixture
def storage(declare: Declare, tmp_path: Path) -> DurableStorage:
    """A storage with the session `old`, which has two steps in the old tables: a pen was created and then painted."""
    storage = DurableStorage(tmp_path)
    context = storage.create("old", _world(tmp_path, declare(OLD)), seed=1, clock=CLOCK)
    step(context, lambda app: app.create("pen", {"id": "p1", "colour": "red"}))
    step(context, lambda app: app.update("pen", "p1", {"colour": "green"}))
    storage.snapshot(context, "then")
    storage.close("old", context)
    return storage


def _world(folder: Path, tables: AppTables) -> Path:
    path = folder / f"{tables.app}.db"
    connection = apsw.Connection(str(path))
    create_tables(connection, {tables.app: tables}, world="sample", seed=0, clock=CLOCK)
    connection.close()
    return path


def _new(*statements: str) -> AppTables:
    tables = _pens(with_ink=True)
    tables.migrate(OLD.fingerprint(), tables.fingerprint(), *(statements or STATEMENTS))
    return tables


def _changes(context: Context) -> list[dict[str, object] | None]:
    return [c["after"] for row in journal.read(context) for c in journal.changes(context, row.receipt.changeset)]


def test_a_context_with_older_tables_continues_after_a_migration(storage: DurableStorage, declare: Declare) -> None:
    declare(_new())
    context = storage.open("old")
    assert context.app("sample").list("pen") == [{"id": "p1", "ink": "blue", "colour": "green"}]
    step(context, lambda app: app.update("pen", "p1", {"ink": "black"}))
    assert _changes(context) == [{"id": "p1", "colour": "red"}, {"colour": "green"}, {"ink": "black"}]
    (net,) = journal.changes(context, journal.net_changeset(context, after=0))
    assert net["after"] == {"id": "p1", "ink": "black", "colour": "green"}
    storage.close("old", context)
    assert storage.open("old").app("sample").count("pen") == 1


def test_a_migrated_context_can_be_rewound_only_to_the_migration(storage: DurableStorage, declare: Declare) -> None:
    declare(_new())
    context = storage.open("old")
    then = digest(context)
    step(context, lambda app: app.delete("pen", "p1"))
    journal.rewind(context, 2)
    assert digest(context) == then
    with pytest.raises(ContextError, match="before step 2, in which its sample tables were migrated"):
        journal.rewind(context, 1)
    assert digest(context) == then


def test_migrations_are_applied_in_sequence(storage: DurableStorage, declare: Declare) -> None:
    tables = _pens(with_ink=True)
    tables.migrate("between", tables.fingerprint(), *STATEMENTS[1:])
    tables.migrate(OLD.fingerprint(), "between", STATEMENTS[0])
    declare(tables)
    assert storage.open("old").app("sample").first("pen") == {"id": "p1", "ink": "blue", "colour": "green"}


def test_a_snapshot_with_older_tables_is_migrated_when_restored(storage: DurableStorage, declare: Declare) -> None:
    declare(_new())
    context = storage.open("old")
    step(context, lambda app: app.delete("pen", "p1"))
    storage.restore(context, "then")
    assert context.app("sample").list("pen") == [{"id": "p1", "ink": "blue", "colour": "green"}]


def test_reading_a_context_does_not_migrate_it_and_reports_the_remedy(
    storage: DurableStorage, declare: Declare
) -> None:
    declare(_new())
    with pytest.raises(ContextError, match="sample tables are brought up to date when it is next used"):
        storage.open_read_only("old")
    storage.close("old", storage.open("old"))
    assert storage.open_read_only("old").app("sample").count("pen") == 1


def test_without_a_migration_the_context_is_refused_with_app_and_remedy(
    storage: DurableStorage, declare: Declare
) -> None:
    declare(_pens(with_ink=True))
    with pytest.raises(ContextError, match=r"whose sample tables differ.*reset the session to its world, delete it"):
        storage.open("old")
    declare(OLD)
    assert storage.open("old").app("sample").count("pen") == 1


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (
            ("ALTER TABLE sample_pen ADD COLUMN ink TEXT",),
            "sample_pen has the columns id, colour, _extra, _seq, ink, not id, ink",
        ),
        (("ALTER TABLE nothing ADD COLUMN ink TEXT",), "could not be brought up to date"),
    ],
)
def test_a_migration_that_does_not_produce_the_declared_tables_changes_nothing(
    storage: DurableStorage, declare: Declare, statements: tuple[str, ...], message: str
) -> None:
    declare(_new(*statements))
    with pytest.raises(ContextError, match=message):
        storage.open("old")
    declare(OLD)
    assert storage.open("old").app("sample").list("pen") == [{"id": "p1", "colour": "green"}]


def test_another_storage_format_is_reported_and_not_called_damage(storage: DurableStorage, tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "sessions" / "old.db"))
    connection.execute("ALTER TABLE _journal DROP COLUMN kind; PRAGMA user_version = 0")
    connection.close()
    with pytest.raises(
        ContextError, match="with another storage format; reset it to its world, or delete it"
    ) as refused:
        storage.open("old")
    assert not isinstance(refused.value, ContextDamaged)


def test_sessions_of_other_apps_open_as_before(storage: DurableStorage, declare: Declare, tmp_path: Path) -> None:
    other = store.tables_of("other")
    made = storage.create("else", _world(tmp_path, other), seed=1, clock=CLOCK)
    storage.close("else", made)
    declare(_pens(with_ink=True))
    assert list(storage.open("else").tables) == ["other"]


def test_a_damaged_context_with_older_tables_is_reported_as_damaged(
    storage: DurableStorage, declare: Declare, tmp_path: Path
) -> None:
    declare(_new())
    file = tmp_path / "sessions" / "old.db"
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(ContextDamaged):
        storage.open("old")
