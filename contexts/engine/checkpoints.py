"""Checkpoints: merged undo data for every thousand steps, so that a long rewind does not walk every receipt.

A checkpoint contains the thousand receipts, merged, inverted and reduced to the data that an undo needs: only the key of a row to
delete, and the old values of a row to restore or change. It is written in the transaction of the thousandth step. It only saves
time: without one, a rewind undoes the receipts themselves. It affects no digest, receipt or replay.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import apsw

from soundstage.bounded_input import Refused, decompressed
from soundstage.contexts.engine.problems import ContextDamaged
from soundstage.contexts.engine.receipts import undoing

EVERY = 1000
"""Steps per checkpoint. Writing one takes two to three milliseconds, or two to three microseconds per step."""
_SHARE = 20
"""A checkpoint may use at most 1/20 of the journal space of its steps; otherwise none is written."""
_MOST_BYTES = 4 * 1024**2
"""Limit of the receipts' total size. Receipts of imported states are as large as the states, and merging a thousand of them would
delay the call.
"""
_MOST_UNDO_BYTES = 2 * _MOST_BYTES
"""Limit of a decompressed checkpoint. An undo has at most the size of its receipts."""
_LEVEL = 1  # of compression, which is enough because rows of one table are similar

_DDL = "CREATE TABLE IF NOT EXISTS _checkpoint (step INTEGER PRIMARY KEY, undo BLOB NOT NULL) STRICT"
_THERE = "SELECT 1 FROM sqlite_schema WHERE name = '_checkpoint'"
_TAKEN = (
    "SELECT total(length(changeset)), total(length(CAST(arguments AS BLOB))) + total(length(CAST(reply AS BLOB))) + "
    "total(length(changeset)) + total(length(before)) FROM _journal WHERE step > ? AND step <= ?"
)
_RECEIPTS = "SELECT changeset FROM _journal WHERE step > ? AND step <= ? ORDER BY step"


def write(connection: apsw.Connection, step: int) -> None:
    """Write the checkpoint of the steps that end with this one, in its transaction, unless it is too large; see `_SHARE`."""
    taken: Any = connection.execute(_TAKEN, (step - EVERY, step)).fetchone()
    if taken[0] > _MOST_BYTES:
        return
    undo = zlib.compress(undoing(merged(connection, step - EVERY, step)), _LEVEL)
    if _SHARE * len(undo) <= taken[1]:
        connection.execute(_DDL)
        connection.execute("INSERT OR REPLACE INTO _checkpoint VALUES (?, ?)", (step, undo))


def merged(connection: apsw.Connection, after: int, until: int) -> bytes:
    """Merge the receipts of the steps after `after`, up to `until`."""
    return _merged(changeset for (changeset,) in connection.execute(_RECEIPTS, (after, until)))


def undo(connection: apsw.Connection, step: int, newest: int) -> Iterator[bytes]:
    """Yield the changesets that undo the steps after `step`, in the order in which to apply them."""
    pending: list[bytes] = []
    at = newest
    for until, content in _stored(connection, step):
        if until - EVERY < step or until > at:
            continue
        if until < at:
            yield from _whole(pending)
            yield apsw.Changeset.invert(merged(connection, until, at))
        pending.append(content)
        at = until - EVERY
    yield from _whole(pending)
    if at > step:
        yield apsw.Changeset.invert(merged(connection, step, at))


def forget(connection: apsw.Connection, *, after: int = 0) -> None:
    """Remove the checkpoints of steps that no longer exist or whose receipts have been rewritten."""
    if connection.execute(_THERE).fetchone() is not None:
        connection.execute("DELETE FROM _checkpoint WHERE step > ?", (after,))


def _stored(connection: apsw.Connection, after: int) -> list[tuple[int, bytes]]:
    """Return the checkpoints of steps after `after`, newest first."""
    if connection.execute(_THERE).fetchone() is None:
        return []
    rows: Any = connection.execute("SELECT step, undo FROM _checkpoint WHERE step > ? ORDER BY step DESC", (after,))
    return rows.fetchall()  # type: ignore[no-any-return]


def _whole(parts: list[bytes]) -> Iterator[bytes]:
    """Yield consecutive checkpoints merged into one, and empty the list."""
    if parts:
        yield _merged(map(_decompressed, parts))
        parts.clear()


def _decompressed(undo: bytes) -> bytes:
    """Decompress a checkpoint, which may come from a damaged or replaced file.

    Raises:
        ContextDamaged: The bytes are not a checkpoint.
    """
    try:
        return decompressed(undo, _MOST_UNDO_BYTES)
    except Refused as refused:
        raise ContextDamaged(f"a checkpoint {refused}") from None


def _merged(changesets: Iterable[bytes]) -> bytes:
    builder = apsw.ChangesetBuilder()  # type: ignore[no-untyped-call]
    for changeset in changesets:
        if changeset:  # a step that only read has none
            builder.add(changeset)
    output = builder.output()
    builder.close()
    return output
