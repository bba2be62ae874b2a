"""The state that a trace was recorded in, as a session takes it.

Names that start with `_` are hints: members of objects are dropped; a hint entity goes into the app's entity of that
name (`_settings` into `settings` or `setting`) where it has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contexts.apps import all_tables
from contexts.engine.schema import Entity, Object
from contexts.engine.state import State


def given_state(app: str, given: Mapping[str, Sequence[Object]]) -> State:
    """`given` of an app's trace in the form of `PUT state`."""
    entities = all_tables()[app].entities
    found: dict[str, list[Object]] = {}
    for name, objects in given.items():
        visible = [{k: v for k, v in o.items() if not k.startswith("_")} for o in objects]
        if not name.startswith("_"):
            found.setdefault(name, []).extend(visible)
        elif (entity := _hinted(entities, name)) is not None:
            found.setdefault(entity.name, []).extend(row for o in visible for row in _rows(entity, o))
    return {app: found}


def _hinted(entities: Mapping[str, Entity], hint: str) -> Entity | None:
    name = hint.lstrip("_")
    return entities.get(name) or entities.get(name.removesuffix("s"))


def _rows(entity: Entity, value: Object) -> list[Object]:
    """A hint's object as the entity keeps it: where that is a table of names and values, one row for each member."""
    if len(entity.fields) != 2 or len(entity.key) != 1 or value.keys() & set(entity.fields):
        return [value]
    (name,) = entity.key
    (content,) = (f for f in entity.fields if f != name)
    return [{name: member, content: item} for member, item in value.items()]
