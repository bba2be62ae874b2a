"""What grading knows about the rows of an app: their keys and parents, what the app sets by itself, what reaches people, and what
a person reads in them.

An app's own declarations give it while Soundstage has the app; a sealed trial carries it as data, so that it is graded years
later as it would have been then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from soundstage.contexts.apps import meaning_of, tables_of
from soundstage.contexts.engine.meaning import covers
from soundstage.contexts.engine.schema import Object

Link = tuple[tuple[str, str | None], ...]
"""Where a row holds its parent's key: for each column of the key the column here, and the member of it if that is JSON."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One entity. `automatic` are paths that the app sets by itself, `text` is what a person reads in a row."""

    key: tuple[str, ...]
    parents: Mapping[str, Link]
    automatic: frozenset[str]
    bookkeeping: bool
    outward: bool
    text: Callable[[Object], str] | None

    def sets_itself(self, path: tuple[str, ...]) -> bool:
        """Whether the value at a path of a row is the app's own doing."""
        return any(covers(pattern.split("."), path) for pattern in self.automatic)

    def parent_keys(self, row: Object) -> dict[str, list[object]]:
        """The keys of the rows that a row belongs to, by entity."""
        found = {
            parent: [_held(row, column, member) for column, member in link] for parent, link in self.parents.items()
        }
        return {parent: key for parent, key in found.items() if None not in key}


def _held(row: Object, column: str, member: str | None) -> object:
    value = row.get(column)
    if member is None:
        return value
    return value.get(member) if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class ToolData:
    """What metrics know of a tool: what it is for, and the arguments that it cannot do without, by path."""

    effect: str
    entity: str | None
    required: tuple[str, ...]


def declared(app: str, entity: str) -> Declared:
    """What an app of this Soundstage declares.

    Raises:
        UnknownTables, KeyError: there is no such app or entity.
    """
    found, meaning = tables_of(app).entities[entity], meaning_of(app)
    links = found.json_links
    return Declared(
        key=found.key,
        parents={
            parent: tuple(links[c][:2] if c in links else (c, None) for c in columns)
            for parent, columns in found.parents.items()
        },
        automatic=meaning.automatic.get(entity, frozenset()),
        bookkeeping=entity in meaning.bookkeeping,
        outward=entity in meaning.outward,
        text=meaning.text.get(entity),
    )
