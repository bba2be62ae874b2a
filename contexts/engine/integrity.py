"""Checks whether a stored context is intact. Run only after an unexpected error while it was used."""

from __future__ import annotations

import time
from collections.abc import Iterator

import apsw
import orjson

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import CLOCK_MODES, END_MS
from soundstage.contexts.engine.problems import FILE_ERRORS, UNREADABLE, ContextError
from soundstage.contexts.engine.schema import StateError
from soundstage.contexts.engine.store import Context

_LOOK_S = 0.2
_EVERY = 1000  # SQLite operations between two checks of the time


def find_flaw(context: Context) -> str | None:
    """Return the first find_flaw found; None if a short check finds none."""
    until = time.monotonic() + _LOOK_S
    context.connection.set_progress_handler(lambda: time.monotonic() > until, _EVERY)
    try:
        for description in _flaws(context):
            if description is not None:
                return description
            if time.monotonic() > until:
                break
    except apsw.InterruptError:
        pass
    except (*FILE_ERRORS, *UNREADABLE, apsw.SQLError, ContextError, ValueError, TypeError) as error:
        return str(error)
    finally:
        context.connection.set_progress_handler(None)
    return None


def _flaws(context: Context) -> Iterator[str | None]:
    """Yield each find_flaw, and None between two checks of something large."""
    for (verdict,) in context.execute("PRAGMA quick_check(1)"):
        yield None if verdict == "ok" else str(verdict).partition("\n")[0]
    clock = context.read_meta().clock
    if clock.mode not in CLOCK_MODES or not 0 <= clock.at_ms <= END_MS:
        yield "its clock shows a time that cannot be"
    for row in journal.read(context):
        journal.changes(context, row.receipt.changeset)
        if not 0 <= row.at_ms <= END_MS:
            yield f"its step {row.step} is at a time that cannot be"
        for text in (row.fault, row.receipt.before):
            if text is not None:
                orjson.loads(text)
        yield None
    for tables in context.tables.values():
        for entity in tables.entities.values():
            for cells in context.execute(f"SELECT {', '.join(entity.quoted)} FROM {entity.table.name}"):  # noqa: S608
                try:
                    entity.check(entity.decode(cells), f"{entity.app}.{entity.name}")
                except StateError as error:
                    yield str(error)
                yield None
