"""A page for any app, from its declared tables: counts, tables, and single objects with their children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import AppTables, Entity, Object
from soundstage.servers.view import Query, View

PER_PAGE = 50
_BELOW = 25
_MOST_COLUMNS = 14


@dataclass(frozen=True, slots=True)
class Table:
    """Some objects of one kind: the columns with a value in any of them, the key first."""

    entity: Entity
    columns: list[str]
    objects: list[Object]
    total: int

    def key(self, value: Object) -> str:
        """Return an object's key as text."""
        return key_of(self.entity, value)


def show(context: AppContext, tables: AppTables, query: Query) -> View:
    """Create the page for `entity`, `key` (a JSON list) and `offset`."""
    counts = {name: context.count(name) for name in tables.entities}
    filled = next((name for name, count in counts.items() if count), next(iter(counts)))
    chosen = query.get("entity", "")
    entity = tables.entities.get(chosen) or tables.entities[filled]
    data: dict[str, Any] = {"counts": counts, "entity": entity, "outline": _outline(tables)}
    selected = _get(context, entity, query.get("key", ""))
    if selected is not None:
        above = [
            (p, _key_text(link)) for p, columns in entity.parents.items() if (link := _link(entity, selected, columns))
        ]
        below = [_below(context, child, entity, selected) for child in tables.children(entity.name)]
        nonempty = [t for t in below if t.objects]
        return View(
            "_object.html.jinja",
            {**data, "value": selected, "key": key_of(entity, selected), "above": above, "below": nonempty},
        )
    offset = int(query["offset"]) if query.get("offset", "").isdigit() and len(query["offset"]) < 10 else 0
    objects = context.list(entity.name, limit=PER_PAGE, offset=offset)
    table = Table(entity, _columns(entity, objects), objects, counts[entity.name])
    return View("_table.html.jinja", {**data, "table": table, "offset": offset, "per_page": PER_PAGE})


def place(context: AppContext, entity: Entity, value: Object) -> Query:
    """Return the query with which `show` shows an object, or the table of its kind if it is deleted."""
    there = context.get(entity.name, entity.key_of(value)) is not None
    return {"entity": entity.name, **({"key": key_of(entity, value)} if there else {})}


def key_of(entity: Entity, value: Object) -> str:
    """Return an object's key as text."""
    return _key_text(entity.key_of(value))


def _key_text(key: object) -> str:
    return orjson.dumps(key).decode()


def _get(context: AppContext, entity: Entity, text: str) -> Object | None:
    try:
        key = orjson.loads(text) if text else None
    except orjson.JSONDecodeError:
        return None
    fits = isinstance(key, list) and len(key) == len(entity.key) and all(isinstance(k, str | int | float) for k in key)
    return context.get(entity.name, tuple(key)) if fits and key is not None else None


def _link(entity: Entity, value: Object, columns: tuple[str, ...]) -> tuple[object, ...] | None:
    key = entity.link_of(value, columns)
    return None if any(part in (None, "") for part in key) else key


def _below(context: AppContext, child: Entity, parent: Entity, value: Object) -> Table:
    where = dict(zip(child.parents[parent.name], parent.key_of(value), strict=True))
    objects = context.list(child.name, where, limit=_BELOW)
    return Table(child, _columns(child, objects), objects, context.count(child.name, where))


def _columns(entity: Entity, objects: list[Object]) -> list[str]:
    """Return the key, then the fields with a value in any object."""
    filled = [f for f in (*entity.fields, *_undeclared(entity, objects)) if any(f in o for o in objects)]
    return [*entity.key, *(f for f in filled if f not in entity.key)][:_MOST_COLUMNS]


def _undeclared(entity: Entity, objects: list[Object]) -> list[str]:
    return entity.unknown_fields(dict.fromkeys(name for value in objects for name in value))


def _outline(tables: AppTables) -> list[tuple[int, str]]:
    """Return the kinds as a tree: (depth, name), each below the first of its parents."""
    parts: list[tuple[int, str]] = []

    def walk(name: str, depth: int) -> None:
        if any(n == name for _, n in parts):
            return
        parts.append((depth, name))
        for child in tables.children(name):
            if child.name != name and next(iter(child.parents)) == name:
                walk(child.name, depth + 1)

    for name, entity in tables.entities.items():
        if not entity.parents or set(entity.parents) == {name}:
            walk(name, 0)
    for name in tables.entities:  # kinds that are each other's parents
        walk(name, 0)
    return parts
