"""Declarations of how an app's entities become rows in a world; made in `worlds/apps/`, separate from the entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine.schema import AppTables, Entity
from soundstage.worlds.builder.fill import Filler, Of, Random


@dataclass(frozen=True, slots=True)
class Rows:
    """The drafts that become rows of one entity, and the fillers of their columns.

    Attributes:
        made_from: the kinds of drafts (`person`, `message` …) that become a row, one or several; by default the kind with
            the entity's name.
        columns: column → its filler, or None to leave it out. Other columns are filled by their id format, or by the
            attribute of the same name.
        beside: column → an object whose fields are added to the row: for entities with open fields.
        link: the address under which the app shows an object, with columns in it (`…/docx/{document_id}`).
    """

    made_from: str | tuple[str, ...] | None = None
    columns: Mapping[str, Filler | None] = field(default_factory=dict)
    beside: Mapping[str, Filler] = field(default_factory=dict)
    link: str | None = None


class WordedEntity:
    """An entity together with how its rows are worded."""

    def __init__(self, entity: Entity, rows: Rows) -> None:
        self.entity = entity
        self.app = entity.app
        self.name = entity.name
        self.key = entity.key
        self.fields = entity.fields
        kinds = rows.made_from or entity.name
        self.made_from = (kinds,) if isinstance(kinds, str) else kinds
        self.worded = frozenset(rows.columns)
        self.beside = rows.beside
        self.link = rows.link
        self._fillers = {name: _filler(entity, rows, name) for name in entity.fields}

    def filler(self, column: str) -> Filler | None:
        """Return a column's filler: the declared one, its id format, or the attribute of the same name."""
        return self._fillers[column]


Wording = dict[str, dict[str, WordedEntity]]
"""App → entity → the entity and how its rows are worded, in the order in which the app declares them."""


def word(tables: AppTables, rows: Mapping[str, Rows]) -> dict[str, WordedEntity]:
    """Return an app's entities, each with its row declaration.

    Raises:
        BrokenApp: an entity has no declaration, or a declaration names an entity or column that the app does not have.
    """
    place = f"worlds/apps/{tables.app}.py"
    for name in tables.entities.keys() - rows.keys():
        raise BrokenApp(
            f"{place}: says nothing of the entity {name!r}; `{name!r}: Rows()` fills it by its columns' names"
        )
    for name, worded in rows.items():
        entity = tables.entities.get(name)
        if entity is None:
            raise BrokenApp(f"{place}: unknown entity {name!r}; {tables.app} has: {', '.join(tables.entities)}")
        for column in entity.unknown_fields((*worded.columns, *worded.beside)):
            raise BrokenApp(f"{place}: {name} has no column {column!r}; it has: {', '.join(entity.fields)}")
    return {name: WordedEntity(entity, rows[name]) for name, entity in tables.entities.items()}


def _filler(entity: Entity, rows: Rows, name: str) -> Filler | None:
    if name in rows.columns:
        return rows.columns[name]
    template = entity.table.c[name].info.get("id_format")
    return Of(name) if template is None else Random(template)
