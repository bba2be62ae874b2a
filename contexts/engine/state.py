"""State in and out as `{app: {entity: [objects]}}`, the form of recorded traces, worlds and `PUT state`.

Recorded states carry hints, names that start with `_`: a member of an object (`_period`) fills the entity's field of that name,
a hint entity (`_settings`) goes into the app's entity of that name, in the singular too; both are dropped where there is none.
"""

from __future__ import annotations

from typing import Literal

import apsw

from soundstage.contexts.engine import disk, library
from soundstage.contexts.engine.schema import AppTables, Entity, Object, StateError
from soundstage.contexts.engine.store import Context

State = dict[str, dict[str, list[Object]]]
LoadMode = Literal["replace", "add"]


def check(context: Context, state: object) -> list[tuple[Entity, list[Object]]]:
    """Check state from outside completely before anything is written.

    Raises:
        StateError: names the first mistake by its path, and the valid value.
    """
    if not isinstance(state, dict):
        raise StateError("state", "expected an object {app: {entity: [objects]}}")
    plan: list[tuple[Entity, list[Object]]] = []
    for app, entities in state.items():
        tables = context.tables_of(app)
        if not isinstance(entities, dict):
            raise StateError(app, "expected an object {entity: [objects]}")
        for name, values in entities.items():
            if not isinstance(values, list):
                raise StateError(f"{app}.{name}", "expected a list of objects")
            entity = _entity(tables, name)
            if (view := tables.views.get(name)) is not None:
                entity = context.tables_of(disk.NAME).entities[view.kind]
                values = [view.on_disk(value) for value in values]
            if entity is None and name.startswith("_"):
                continue
            if entity is None:
                known = ", ".join((*tables.entities, *tables.views))
                raise StateError(f"{app}.{name}", f"unknown entity; {app} has: {known}")
            if name.startswith("_"):
                values = [row for value in values for row in _hinted_rows(entity, value)]
            checked = [entity.check(_with_hints(entity, value), f"{app}.{name}[{i}]") for i, value in enumerate(values)]
            for i, value in enumerate(checked):
                for key in entity.key:
                    if value.get(key) is None and (key != entity.key[-1] or entity.id_format is None):
                        raise StateError(f"{app}.{name}[{i}].{key}", "is missing; it is the object's key")
            plan.append((entity, checked))
    return plan


def load(context: Context, state: object, mode: LoadMode = "replace") -> None:
    """Load state into the context, inside the running transaction.

    `replace` sets each named entity to exactly the given objects; `add` inserts them and overwrites objects with the same key.
    Other entities do not change. Objects keep the given order. After `replace`, an entity that is backed by the library shows
    only the given objects, and after `add` both, unless `library.source` is given and sets another source.

    Raises:
        StateError: see `check`; also if a key occurs twice. Nothing has been written then.
    """
    plan = check(context, state)
    _put(context, [(entity, values) for entity, values in plan if entity.app != library.NAME], mode)
    _put(context, [(entity, values) for entity, values in plan if entity.app == library.NAME], mode)


def _put(context: Context, plan: list[tuple[Entity, list[Object]]], mode: LoadMode) -> None:
    if mode == "replace":
        for entity, _ in plan:
            context.app(entity.app).clear(entity)
    for entity, values in plan:
        view = context.app(entity.app)
        for i, value in enumerate(values):
            if mode == "add" and all(value.get(k) is not None for k in entity.key):
                view.remove(entity, entity.key_of(value))
            try:
                view.put(entity, value)
            except apsw.ConstraintError:
                key = "/".join(str(value.get(k)) for k in entity.key)
                raise StateError(f"{entity.app}.{entity.name}[{i}]", f"the key {key!r} occurs twice") from None
        if entity.backed is not None and (mode == "replace" or (values and view.source(entity.name) == "library")):
            view.read_from(entity.name, "own" if mode == "replace" else "both")


def dump(context: Context, app: str | None = None, entity: str | None = None) -> State:
    """Return the context's state, of all apps, of one app or of one entity, without empty entities and the library's objects.

    An app's view of the session's disk is included only if it is requested by name; otherwise the files are part of `disk`.

    Raises:
        StateError: the session does not have the app, or the entity is unknown.
    """
    if app is not None:
        context.tables_of(app)
    if app is not None and entity is not None and (disk_view := context.tables[app].views.get(entity)) is not None:
        rows = context.app(disk.NAME).list(disk_view.kind)
        return {app: {entity: [disk_view.shown(row) for row in rows]}} if rows else {}
    if entity is not None and (app is None or entity not in context.tables[app].entities):
        known = ", ".join(context.tables[app].entities) if app else "name its app too"
        raise StateError(f"{app or '?'}.{entity}", f"unknown entity; {known}")
    result: State = {}
    for name, tables in context.tables.items():
        if app not in (None, name):
            continue
        view = context.app(name)
        for entity_name, declared in tables.entities.items():
            if entity in (None, entity_name) and (values := view.own(declared)):
                result.setdefault(name, {})[entity_name] = values
    return result


def _entity(tables: AppTables, name: str) -> Entity | None:
    if not name.startswith("_"):
        return tables.entities.get(name)
    hint = name.lstrip("_")
    return tables.entities.get(hint) or tables.entities.get(hint.removesuffix("s"))


def _with_hints(entity: Entity, value: object) -> object:
    """Move an object's hints into the fields that they name, unless those are present; drop all other hints."""
    if not isinstance(value, dict):
        return value
    plain = {name: item for name, item in value.items() if not name.startswith("_")}
    hints = {name.lstrip("_"): item for name, item in value.items() if name.startswith("_")}
    return {**{name: item for name, item in hints.items() if name in entity.fields}, **plain}


def _hinted_rows(entity: Entity, value: object) -> list[object]:
    """Return a hint's object as rows of the entity: one row per member if the entity is a table of names and values."""
    if (
        not isinstance(value, dict)
        or len(entity.fields) != 2
        or len(entity.key) != 1
        or value.keys() & set(entity.fields)
    ):
        return [value]
    (name,) = entity.key
    (content,) = (f for f in entity.fields if f != name)
    return [{name: member, content: item} for member, item in value.items()]
