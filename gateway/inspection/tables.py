"""A session's tables, and each of them as a file, row by row: JSON to the letter, CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from soundstage.contexts.engine.schema import Entity, SqlValue
from soundstage.contexts.engine.store import Context
from soundstage.gateway.journal.lines import Line, lines

_CHUNK = 64 * 1024
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a session. `app` and `entity` are None for the session's own: its journal, its clock and accounts."""

    name: str
    app: str | None
    entity: str | None
    columns: list[tuple[str, str]]
    rows: int


def tables(copy: Context) -> list[Table]:
    """Every table, the apps' first; columns with SQLite's names for their types."""
    declared = {str(e.table.name): e for tables in copy.tables.values() for e in tables.entities.values()}
    there: Any = copy.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    names = {name for (name,) in there if not name.startswith("sqlite_")}
    return [
        _table(copy, n, declared.get(n))
        for n in (*(d for d in declared if d in names), *sorted(names - declared.keys()))
    ]


def as_json(copy: Context, entity: Entity) -> Iterator[bytes]:
    """An entity's objects as a JSON list, one a line. The copy is closed at the end."""
    return _chunks(copy, _json_lines(copy, entity))


def as_csv(copy: Context, entity: Entity) -> Iterator[bytes]:
    """An entity's objects as CSV: its fields, nested ones as JSON, and in `_extra` those that are not declared. The copy is
    closed at the end.
    """
    names = (*entity.fields, "_extra")
    return _chunks(copy, _csv_lines(names, _rows(copy, entity)))


def timeline_csv(copy: Context) -> Iterator[bytes]:
    """The journal's lines as CSV, nested values as JSON. The copy is closed at the end."""

    def rows() -> Iterator[list[SqlValue]]:
        for line in lines(copy):
            yield [_flat(value) for value in line.values()]

    return _chunks(copy, _csv_lines(tuple(Line.__annotations__), rows()))


def harmless(cell: SqlValue) -> SqlValue:
    """A cell that no spreadsheet takes for a formula: a text that begins like one gets an apostrophe before it."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _table(copy: Context, name: str, entity: Entity | None) -> Table:
    columns: Any = copy.execute(f'SELECT name, type FROM pragma_table_xinfo("{name}")').fetchall()  # noqa: S608 from the schema
    count: Any = copy.execute(f'SELECT count(*) FROM "{name}"').fetchone()  # noqa: S608
    app, kind = (None, None) if entity is None else (entity.app, entity.name)
    return Table(name, app, kind, list(columns), count[0])


def _rows(copy: Context, entity: Entity) -> Iterable[Sequence[SqlValue]]:
    names = ", ".join(f'"{n}"' for n in (*entity.fields, "_extra"))
    rows: Any = copy.execute(f'SELECT {names} FROM "{entity.table.name}" ORDER BY _seq')  # noqa: S608 declared
    return rows  # type: ignore[no-any-return]


def _json_lines(copy: Context, entity: Entity) -> Iterator[str]:
    between = "[\n"
    for row in _rows(copy, entity):
        yield between + orjson.dumps(entity.decode(row)).decode()
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


def _csv_lines(names: Sequence[str], rows: Iterable[Sequence[SqlValue]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(names)
    for row in rows:
        writer.writerow([harmless(cell) for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _chunks(copy: Context, texts: Iterator[str]) -> Iterator[bytes]:
    try:
        held: list[str] = []
        size = 0
        for text in texts:
            held.append(text)
            size += len(text)
            if size >= _CHUNK:
                yield "".join(held).encode()
                held, size = [], 0
        yield "".join(held).encode()
    finally:
        copy.close()


def _flat(value: Any) -> SqlValue:
    if isinstance(value, dict | list):
        return orjson.dumps(value).decode()
    return int(value) if isinstance(value, bool) else value
