"""How the rows of an app's entities are worded in a world: what `worlds/apps/` declares, beside the entities themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from soundstage.contexts.broken import BrokenApp
from soundstage.contexts.engine.schema import AppTables, Entity
from soundstage.worlds.builder.fill import Filler, Of, Random


@dataclass(frozen=True, slots=True)
class Rows:
    """What of a world becomes rows of one entity, and how their columns are filled.

    Attributes:
        made_from: the kinds of things (`person`, `message` …) that become a row here, one or several; without it, what bears
            the entity's name.
        columns: column → its filler, or None to leave it out. A column that is not named is filled by its id format, or takes
            the attribute of its own name.
        beside: column → an object whose fields go into the row beside it: for entities with open fields.
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
        """A column's filler: the one of its wording, its id format, or the attribute of its own name."""
        return self._fillers[column]


Wording = dict[str, dict[str, WordedEntity]]
"""App → entity → the entity and how its rows are worded, in the order in which the app declares them."""


def word(tables: AppTables, rows: Mapping[str, Rows]) -> dict[str, WordedEntity]:
    """An app's entities, each with its wording.

    Raises:
        BrokenApp: where an entity has none, or the wording names an entity or a column that the app does not have.
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
