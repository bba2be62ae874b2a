"""Declarations of an app's rows for grading: keys, parents, automatic values, visibility and readable text.

They come from the app itself if this version has it. A sealed trial stores them as data, so that it can be graded in the same
way years later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from soundstage.contexts.apps import meaning_of, tables_of
from soundstage.contexts.engine.meaning import covers
from soundstage.contexts.engine.schema import Object

Link = tuple[tuple[str, str | None], ...]
"""The location of a parent's key in a row: for each key column the local column, and its member if that is JSON."""


@dataclass(frozen=True, slots=True)
class EntityDeclaration:
    """One entity; `automatic` are paths that the app sets itself, `text` returns the readable text of a row."""

    key: tuple[str, ...]
    parents: Mapping[str, Link]
    automatic: frozenset[str]
    bookkeeping: bool
    outward: bool
    text: Callable[[Object], str] | None

    def sets_itself(self, path: tuple[str, ...]) -> bool:
        """Whether the app itself sets the value at a path of a row."""
        return any(covers(pattern.split("."), path) for pattern in self.automatic)

    def parent_keys(self, row: Object) -> dict[str, list[object]]:
        """Return the keys of the rows that a row belongs to, by entity."""
        result = {
            parent: [_key_part(row, column, member) for column, member in link] for parent, link in self.parents.items()
        }
        return {parent: key for parent, key in result.items() if None not in key}


def _key_part(row: Object, column: str, member: str | None) -> object:
    value = row.get(column)
    if member is None:
        return value
    return value.get(member) if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class ToolData:
    """A tool's data for metrics: its effect, entity, and required arguments by path."""

    effect: str
    entity: str | None
    required: tuple[str, ...]


def declaration_of(app: str, entity: str) -> EntityDeclaration:
    """Return the declaration of an entity of an app in this version.

    Raises:
        UnknownTables, KeyError: The app or entity does not exist.
    """
    tables, meaning = tables_of(app).entities[entity], meaning_of(app)
    links = tables.json_links
    return EntityDeclaration(
        key=tables.key,
        parents={
            parent: tuple(links[c][:2] if c in links else (c, None) for c in columns)
            for parent, columns in tables.parents.items()
        },
        automatic=meaning.automatic.get(entity, frozenset()),
        bookkeeping=entity in meaning.bookkeeping,
        outward=entity in meaning.outward,
        text=meaning.text.get(entity),
    )
