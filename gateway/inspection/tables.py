"""A session's tables, and each as a file, row by row: exact JSON, or CSV for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from soundstage.contexts.engine.schema import Entity, SqlValue
from soundstage.contexts.engine.store import Context
from soundstage.gateway.inspection.csv_files import csv_lines
from soundstage.gateway.inspection.exports import pieces
from soundstage.gateway.journal.lines import Line, lines


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a session. `app` and `entity` are None for the session's own tables: its journal, clock and accounts."""

    name: str
    app: str | None
    entity: str | None
    columns: list[tuple[str, str]]
    rows: int


def tables(copy: Context) -> list[Table]:
    """Return every table, the apps' first; columns have SQLite's type names."""
    declared = {str(e.table.name): e for tables in copy.tables.values() for e in tables.entities.values()}
    there: Any = copy.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    names = {name for (name,) in there if not name.startswith("sqlite_")}
    return [
        _table(copy, n, declared.get(n))
        for n in (*(d for d in declared if d in names), *sorted(names - declared.keys()))
    ]


def as_json(copy: Context, app: str, name: str) -> Iterator[bytes]:
    """Yield an entity's objects as a JSON list, one on each line."""
    entity = copy.tables[app].entities[name]
    return pieces(_json_lines(copy, entity))


def as_csv(copy: Context, app: str, name: str) -> Iterator[bytes]:
    """Yield an entity's objects as CSV: its fields, nested ones as JSON, and undeclared ones in `_extra`."""
    entity = copy.tables[app].entities[name]
    names = (*entity.fields, "_extra")
    return pieces(_csv_lines(names, _rows(copy, entity)))


def timeline_csv(copy: Context) -> Iterator[bytes]:
    """Yield the journal's lines as CSV, nested values as JSON."""

    def rows() -> Iterator[list[SqlValue]]:
        for line in lines(copy):
            yield [_flat(value) for value in line.values()]

    return pieces(_csv_lines(tuple(Line.__annotations__), rows()))


def _table(copy: Context, name: str, entity: Entity | None) -> Table:
    columns: Any = copy.execute(f'SELECT name, type FROM pragma_table_xinfo("{name}")').fetchall()  # noqa: S608 from the schema
    count: Any = copy.execute(f'SELECT count(*) FROM "{name}"').fetchone()  # noqa: S608
    app, kind = (None, None) if entity is None else (entity.app, entity.name)
    return Table(name, app, kind, list(columns), count[0])


def _rows(copy: Context, entity: Entity) -> Iterable[Sequence[SqlValue]]:
    names = ", ".join(f'"{n}"' for n in (*entity.fields, "_extra"))
    rows: Any = copy.execute(f'SELECT {names} FROM "{entity.table.name}" ORDER BY _seq')  # noqa: S608 declared
    return rows  # type: ignore[no-any-return]


def _json_lines(copy: Context, entity: Entity) -> Iterator[bytes]:
    between = b"[\n"
    for row in _rows(copy, entity):
        yield between + orjson.dumps(entity.decode(row))
        between = b",\n"
    yield b"[]\n" if between == b"[\n" else b"\n]\n"


def _csv_lines(names: Sequence[str], rows: Iterable[Sequence[SqlValue]]) -> Iterator[bytes]:
    return (line.encode() for line in csv_lines(names, rows))


def _flat(value: Any) -> SqlValue:
    if isinstance(value, dict | list):
        return orjson.dumps(value).decode()
    return int(value) if isinstance(value, bool) else value
