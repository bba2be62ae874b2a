"""Migration of stored contexts whose app has changed its tables; contexts without a migration are rejected with advice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apsw

from soundstage.contexts.engine import checkpoints
from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.receipts import rewritten
from soundstage.contexts.engine.schema import AppTables, Entity, Migration

Columns = dict[str, tuple[str, ...]]
"""Table → its columns as receipts count them: without those that SQLite derives."""


def migration_path(tables: AppTables, fingerprint: str) -> list[Migration]:
    """The migrations from tables of this fingerprint to those declared now.

    Raises:
        ContextError: when none lead there.
    """
    path: list[Migration] = []
    here = fingerprint
    while here != tables.fingerprint():
        step = tables.migrations.get(here)
        if step is None or len(path) == len(tables.migrations):
            raise ContextError(
                f"the session was made by a version of Soundstage whose {tables.app} tables differ, and nothing leads from "
                f"those ({here}) to today's; reset the session to its world, delete it, or make a new one"
            )
        path.append(step)
        here = step.after
    return path


def migrate(connection: apsw.Connection, tables: AppTables, fingerprint: str) -> None:
    """Migrate an app's tables in a stored context, all or nothing.

    The receipts of earlier steps are rewritten with the current columns, so that journal and differences stay readable. The
    context cannot be rewound to a step before the migration.

    Raises:
        ContextError: there is no migration to the current tables, or it does not produce them; nothing has changed.
    """
    steps = migration_path(tables, fingerprint)
    with connection:
        row: Any = connection.execute("SELECT fingerprint FROM _app WHERE name = ?", (tables.app,)).fetchone()
        if row[0] != fingerprint:
            return  # another process has just done it
        before = _columns(connection)
        try:
            for statement in (s for step in steps for s in step.statements):
                connection.execute(statement)
        except (apsw.SQLError, apsw.ConstraintError) as error:
            raise ContextError(
                f"the session's {tables.app} tables could not be brought up to date ({error}); reset the session to its "
                "world, delete it, or make a new one"
            ) from None
        after = _columns(connection)
        for problem in _differences(connection, tables, after):
            raise ContextError(
                f"the migration of {tables.app} from {fingerprint} does not give the tables declared: {problem}"
            )
        moved = {name: columns for name, columns in before.items() if after.get(name) != columns}
        _rewrite_receipts(connection, tables, moved)
        checkpoints.forget(connection)
        connection.execute(
            "UPDATE _app SET fingerprint = ?, since = (SELECT step FROM _meta) WHERE name = ?",
            (tables.fingerprint(), tables.app),
        )


def _columns(connection: apsw.Connection) -> Columns:
    rows: Any = connection.execute(
        "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.cid"
    ).fetchall()
    by_table: dict[str, list[str]] = {}
    for table, column in rows:
        by_table.setdefault(table, []).append(column)
    return {table: tuple(columns) for table, columns in by_table.items()}


def _differences(connection: apsw.Connection, tables: AppTables, present: Columns) -> Iterator[str]:
    rows: Any = connection.execute("SELECT name FROM sqlite_master WHERE type = 'index'").fetchall()
    indexes = {name for (name,) in rows}
    for entity in tables.entities.values():
        columns = present.get(str(entity.table.name), ())
        if columns != entity.stored:
            yield f"{entity.table.name} has the columns {', '.join(columns) or 'none'}, not {', '.join(entity.stored)}"
        for index in entity.table.indexes:
            if str(index.name) not in indexes:
                yield f"there is no index {index.name}"


def _rewrite_receipts(connection: apsw.Connection, tables: AppTables, moved: Columns) -> None:
    if not moved:
        return
    entities: dict[str, Entity] = {str(entity.table.name): entity for entity in tables.entities.values()}
    rows: Any = connection.execute("SELECT step, changeset FROM _journal WHERE length(changeset) > 0").fetchall()
    for step, changeset in rows:
        if any(change.name in moved for change in apsw.Changeset.iter(changeset)):
            receipt = rewritten(changeset, moved, entities)
            connection.execute("UPDATE _journal SET changeset = ? WHERE step = ?", (receipt, step))
