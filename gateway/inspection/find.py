"""Search for a text in a session: in its calls, and in the current objects of its apps."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import apsw
import orjson

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.schema import Entity, SqlValue
from soundstage.contexts.engine.store import Context
from soundstage.gateway.inspection.interruption import interrupted_after
from soundstage.gateway.inspection.reader import Reader
from soundstage.gateway.journal.overview import StepFilter
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.gateway.sessions.session import Session

T = TypeVar("T")

LONGEST_TEXT = 200
MOST_CALLS = 50
MOST_OBJECTS = 100
MOST_SECONDS = 5.0
_AROUND = 60  # characters of context on either side


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A place where a text was found: a field, and the text before, at and after the match."""

    field: str
    before: str
    match: str
    after: str


@dataclass(frozen=True, slots=True)
class CallFound:
    """A matching call, with the text around the match."""

    step: int
    excerpt: Excerpt | None


@dataclass(frozen=True, slots=True)
class ObjectFound:
    """An object; `key` is its key, the values of a compound key in order."""

    app: str
    entity: str
    key: list[SqlValue]
    excerpt: Excerpt


@dataclass(frozen=True, slots=True)
class SearchMatches:
    """The matches.

    `older` is the step before which there are more calls, `more_objects` means that there are more objects, and `stopped` is a
    message if the search ended early.
    """

    calls: list[CallFound]
    older: int | None
    objects: list[ObjectFound]
    more_objects: bool
    stopped: str | None


async def find(
    reader: Reader, session: Session, text: str, wanted: StepFilter, *, before: int | None = None
) -> SearchMatches:
    """Find the newest calls before a step that match the filter and contain the text, and the objects that contain it.

    Case is ignored. Without a text all calls that match the filter are found, and no objects. Objects are searched in the
    filter's app or in all apps, unless the filter has a condition that only calls can meet.

    Raises:
        BadRequest: the text is too long.
        TooManyReadings, ReadingBroken, DiskFull, ContextError: see `Reader.read`.
    """
    if len(text) > LONGEST_TEXT:
        raise BadRequest(f"the text has {len(text):,} characters; at most {LONGEST_TEXT} are looked for")
    steps = journal.last_step(session.context)
    return await reader.read(session, search, text, wanted, before, steps=steps, objects=True)


def search(context: Context, text: str, wanted: StepFilter, before: int | None) -> SearchMatches:
    """Search a context; see `find`."""
    with interrupted_after(context.connection, MOST_SECONDS + 1):
        return _Search(context, text, time.monotonic() + MOST_SECONDS).find(wanted, before)


class _Search:
    """One search, with a deadline on the monotonic clock."""

    def __init__(self, copy: Context, text: str, until: float) -> None:
        self._copy = copy
        self._needles = _needles(text)
        self._until = until
        self._stopped: str | None = None

    def find(self, wanted: StepFilter, before: int | None) -> SearchMatches:
        calls = self._take(self._calls(wanted, before), MOST_CALLS, "calls")
        of_calls = wanted.tools is not None or wanted.tool is not None or wanted.ok is not None
        looks = bool(self._needles) and not (of_calls or wanted.faulted or wanted.fault) and before is None
        objects = self._take(self._objects(wanted.app), MOST_OBJECTS, "objects") if looks else []
        older = calls[MOST_CALLS - 1].step if len(calls) > MOST_CALLS else None
        more = len(objects) > MOST_OBJECTS
        return SearchMatches(calls[:MOST_CALLS], older, objects[:MOST_OBJECTS], more, self._stopped)

    def _take(self, matches: Iterator[T], most: int, what: str) -> list[T]:
        taken: list[T] = []
        try:
            for one in matches:
                taken.append(one)
                if len(taken) > most:
                    break
        except (TimeoutError, apsw.InterruptError):
            self._stopped = f"the search took longer than {MOST_SECONDS:g} s and ended among the {what}; narrow it down"
        return taken

    def _calls(self, wanted: StepFilter, before: int | None) -> Iterator[CallFound]:
        condition, values = wanted.condition()
        rows: Any = self._copy.execute(
            "SELECT step, tool, arguments, reply, error_kind, user, client, fault FROM _journal "  # noqa: S608 constant
            f"WHERE step < ? AND {condition} ORDER BY step DESC",
            (2**62 if before is None else before, *values),
        )
        names = ("tool", "arguments", "reply", "error_kind", "user", "client", "fault")
        for step, *cells in rows:
            self._go_on()
            if not self._needles:
                yield CallFound(step, None)
            elif (excerpt := self._excerpt(names, cells)) is not None:
                yield CallFound(step, excerpt)

    def _objects(self, app: str | None) -> Iterator[ObjectFound]:
        for name, tables in self._copy.tables.items():
            for entity in tables.entities.values() if app in (None, name) else ():
                yield from self._of_kind(entity)

    def _of_kind(self, entity: Entity) -> Iterator[ObjectFound]:
        names = (*entity.fields, "_extra")
        columns = ", ".join(f'"{n}"' for n in names)
        rows: Any = self._copy.execute(f'SELECT {columns} FROM "{entity.table.name}" ORDER BY _seq')  # noqa: S608 declared
        keys = [names.index(k) for k in entity.key]
        for cells in rows:
            self._go_on()
            if (excerpt := self._excerpt(names, cells)) is not None:
                yield ObjectFound(entity.app, entity.name, [cells[k] for k in keys], excerpt)

    def _excerpt(self, names: tuple[str, ...], cells: list[SqlValue] | tuple[SqlValue, ...]) -> Excerpt | None:
        for name, cell in zip(names, cells, strict=True):
            if isinstance(cell, str):
                folded = cell.lower()
                for needle in self._needles:
                    if (at := folded.find(needle)) >= 0:
                        return _cut(name, cell, at, len(needle)) if len(folded) == len(cell) else _cut(name, cell, 0, 0)
        return None

    def _go_on(self) -> None:
        if time.monotonic() > self._until:
            raise TimeoutError


def _cut(field: str, text: str, at: int, length: int) -> Excerpt:
    end = at + length
    before = ("…" if at > _AROUND else "") + text[max(0, at - _AROUND) : at]
    return Excerpt(field, before, text[at:end], text[end : end + _AROUND] + ("…" if len(text) > end + _AROUND else ""))


def _needles(text: str) -> list[str]:
    """Return a text in its possible stored forms: raw, in JSON, and in JSON within JSON.

    Servers written in Python escape non-ASCII letters there.
    """
    if not text:
        return []
    forms = [text]
    for write in (_inside_json, _as_numbers):
        once = write(text)
        forms += [once, _inside_json(once)]
    return list(dict.fromkeys(form.lower() for form in forms))


def _inside_json(text: str) -> str:
    return orjson.dumps(text).decode()[1:-1]


def _as_numbers(text: str) -> str:

    return json.dumps(text)[1:-1]
