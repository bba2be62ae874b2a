"""A step's receipt, recorded row by row while the step runs and written in the format of SQLite's changesets.

SQLite's session extension records the same, but reads a table's columns four times for the first row that changes in
it, which costs a call that writes one row more than all its other statements together. Applying, inverting and merging receipts
is left to SQLite. Format: https://sqlite.org/session/c_changesetapply_fknoaction.html and the comment at the head of
https://sqlite.org/src/file/ext/session/sqlite3session.c
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from struct import Struct
from typing import Any

import apsw

from soundstage.contexts.engine.schema import Entity, SqlValue

Cells = tuple[SqlValue, ...]
"""A row as it is stored: one value per column of `Entity.stored`."""

_INSERT, _UPDATE, _DELETE = b"\x12\x00", b"\x17\x00", b"\x09\x00"  # the operation, and that no trigger made it
_UNCHANGED, _NULL = b"\x00", b"\x05"
_real, _whole = Struct(">d").pack, Struct(">q").pack


@dataclass(frozen=True, slots=True)
class Receipt:
    """The record of a step's changes: the changeset of the apps' rows, and the session's own row before the step."""

    changeset: bytes
    before: str


class Recorder:
    """The rows that a step has changed: each as it was before the step and as it is now, None where it is not there."""

    def __init__(self) -> None:
        self._rows: dict[tuple[Entity, Cells], tuple[Cells | None, Cells | None]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been changed so far."""
        return not self._rows

    def record(self, entity: Entity, before: Cells | None, after: Cells | None) -> None:
        """Record a changed row. An inserted row has no `before`, a deleted one no `after`."""
        cells = before or after or ()
        key = tuple([cells[i] for i in entity.key_positions])
        earlier = self._rows.get((entity, key))
        self._rows[entity, key] = (before if earlier is None else earlier[0], after)

    def changeset(self) -> bytes:
        """The receipt; empty when every row is again what it was."""
        tables: dict[Entity, list[bytes]] = {}
        for (entity, _), (before, after) in self._rows.items():
            if change := _change(entity, before, after):
                tables.setdefault(entity, [_header(entity)]).append(change)
        return b"".join([part for parts in tables.values() for part in parts])


def _change(entity: Entity, before: Cells | None, after: Cells | None) -> bytes:
    if before is None:
        return b"" if after is None else _INSERT + _record(after)
    return _DELETE + _record(before) if after is None else _update(entity, before, after)


def _update(entity: Entity, before: Cells, after: Cells) -> bytes:
    old, new = [_UNCHANGED] * len(before), [_UNCHANGED] * len(after)
    for i, (was, now) in enumerate(zip(before, after, strict=True)):
        if was != now:
            old[i], new[i] = _value(was), _value(now)
    if old == new:
        return b""
    for i in entity.key_positions:
        old[i] = _value(before[i])
    return _UPDATE + b"".join(old) + b"".join(new)


def rewritten(changeset: bytes, moved: Mapping[str, Sequence[str]], entities: Mapping[str, Entity]) -> bytes:
    """Rewrite a receipt with the current columns. `moved` maps each changed table to its columns at the time of writing.

    Added columns are empty in it; removed columns and tables are left out.
    """
    parts: list[bytes] = []
    for change in apsw.Changeset.iter(changeset):
        old, new = change.old, change.new
        header = _table(change.name, change.column_count, sorted(change.pk_columns))
        if (columns := moved.get(change.name)) is not None:
            if (entity := entities.get(change.name)) is None:
                continue
            header = _header(entity)
            absent = apsw.no_change if change.op == "UPDATE" else None
            old, new = (_by_name(columns, cells, entity.stored, absent) for cells in (old, new))
        operation = _INSERT if old is None else _DELETE if new is None else _UPDATE
        parts.append(header + operation + b"".join(_change_value(cell) for cell in (*(old or ()), *(new or ()))))
    return b"".join(parts)


def undoing(changeset: bytes) -> bytes:
    """Return the inverse of a changeset as a patchset, without the values that SQLite needs only to detect conflicts."""
    parts: list[bytes] = []
    table = ""
    change: Any
    for change in apsw.Changeset.iter(changeset):
        key = sorted(change.pk_columns)
        if change.name != table:
            table = change.name
            parts.append(b"P" + _table(table, change.column_count, key)[1:])
        old, new = change.old, change.new
        if old is None:
            parts += (_DELETE, *(_value(new[i]) for i in key))
        elif new is None:
            parts += (_INSERT, *(_value(cell) for cell in old))
        else:
            parts += (_UPDATE, *map(_change_value, old))
    return b"".join(parts)


def _by_name(
    was: Sequence[str], cells: tuple[Any, ...] | None, now: Sequence[str], absent: Any
) -> tuple[Any, ...] | None:
    if cells is None:
        return None
    known = dict(zip(was, cells, strict=True))
    return tuple(known.get(name, absent) for name in now)


def _change_value(cell: Any) -> bytes:
    return _UNCHANGED if cell is apsw.no_change else _value(cell)


_SHORT_TEXT = [b"\x03" + bytes((length,)) for length in range(0x80)]
"""The prefix of a text by its length, for lengths that fit into a one-byte varint: nearly all texts."""


def _record(cells: Cells) -> bytes:
    return b"".join([_NULL if cell is None else _WRITERS[type(cell)](cell) for cell in cells])


def _value(cell: SqlValue) -> bytes:
    return _NULL if cell is None else _WRITERS[type(cell)](cell)


def _text(cell: str) -> bytes:
    text = cell.encode()
    length = len(text)
    return (_SHORT_TEXT[length] if length < 0x80 else b"\x03" + _varint(length)) + text


_WRITERS: Mapping[type, Callable[[Any], bytes]] = {
    str: _text,
    int: lambda cell: b"\x01" + _whole(cell),
    float: lambda cell: b"\x02" + _real(cell),
    bytes: lambda cell: b"\x04" + _varint(len(cell)) + cell,
}


def _varint(number: int) -> bytes:
    if number < 0x80:
        return bytes((number,))
    digits = [number & 0x7F]
    while number := number >> 7:
        digits.append(number & 0x7F | 0x80)
    return bytes(reversed(digits))


@cache
def _header(entity: Entity) -> bytes:
    """Return the bytes that precede a table's changes."""
    return _table(str(entity.table.name), len(entity.stored), entity.key_positions)


def _table(name: str, columns: int, key: Sequence[int]) -> bytes:
    """How many columns it has, which of them are the key, and its name."""
    places = [key.index(i) + 1 if i in key else 0 for i in range(columns)]
    return b"T" + _varint(columns) + bytes(places) + name.encode() + b"\x00"
