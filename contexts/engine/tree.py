r"""The Context-Tree of an app: objects below their parents, children as id → object maps.

It is derived from the declared parent links, so every app has export, import and paths such as
`calendar[primary].calendar_event[abc_0]` without further code. Inside brackets all characters are literal (ids contain
dots); a `]` or `\` of an id is escaped as `\]` or `\\`.
"""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.schema import AppTables, Entity, Object, SqlValue, StateError
from soundstage.contexts.engine.state import State
from soundstage.contexts.engine.store import Context

Tree = dict[str, dict[str, Any]]
"""Entity → key → object, whose further entries named like child entities are such maps again."""

_SEGMENT = re.compile(r"(?P<entity>[a-z][a-z0-9_]*)\[(?P<key>(?:[^\]\\]|\\.)*)\]")


def export_tree(context: Context, app: str) -> Tree:
    """Export one app's objects as a tree. Objects whose parent is missing are at the top level.

    Raises:
        StateError: the session does not have the app.
    """
    tables = context.tables_of(app)
    view = context.app(app)
    objects = {name: view.own(tables.entities[name]) for name in tables.entities}
    nodes: dict[tuple[str, tuple[SqlValue, ...]], Object] = {}
    for name, values in objects.items():
        entity = tables.entities[name]
        for value in values:
            nodes[name, entity.key_of(value)] = dict(value)
    tree: Tree = {}
    for name, values in objects.items():
        entity = tables.entities[name]
        for value in values:
            key = entity.key_of(value)
            above = _parent_of(tables, entity, value)
            parent = nodes.get(above) if above is not None and above != (name, key) else None
            holder = tree if parent is None else parent
            link = entity.parents[above[0]] if parent is not None and above is not None else ()
            holder.setdefault(name, {})[_shown_key(entity, value, link)] = nodes[name, key]
    return tree


def flatten(tables: AppTables, tree: object) -> State:
    """A tree as state. Keys and parent links that objects leave out are taken from their place in the tree.

    Raises:
        StateError: naming the path of the mistake.
    """
    top: dict[str, list[Object]] = {}
    if not isinstance(tree, dict):
        raise StateError(tables.app, "expected a tree {entity: {key: object}}")
    for name, below in tree.items():
        _walk(tables, name, below, top, None, "")
    ordered = {name: top[name] for name in tables.entities if name in top}
    return {tables.app: ordered}


def find(context: Context, app: str, path: str) -> Object:
    """The object at a path, without what hangs below it.

    Raises:
        StateError: for an app that the session does not have, for a path that is not well formed, or that leads nowhere
            (naming how far it led).
    """
    tables = context.tables_of(app)
    view = context.app(app)
    value: Object | None = None
    above: tuple[Entity, tuple[SqlValue, ...]] | None = None
    position, walked = 0, ""
    while position < len(path):
        match = _SEGMENT.match(path, position)
        if match is None:
            raise StateError(path, f"expected entity[key] at character {position + 1}, such as calendar[primary]")
        name, key = match["entity"], re.sub(r"\\(.)", r"\1", match["key"])
        entity = tables.entities.get(name)
        if entity is None or (above is not None and above[0].name not in entity.parents):
            possible = [e.name for e in tables.children(above[0].name)] if above else list(tables.entities)
            place = walked or app
            raise StateError(path, f"there is no {name!r} below {place}; possible: {', '.join(possible) or 'nothing'}")
        where = dict(zip(entity.parents[above[0].name], above[1], strict=True)) if above else {}
        candidates = view.own(entity, where)
        link = tuple(where)
        value = next((v for v in candidates if _shown_key(entity, v, link) == key), None)
        walked = path[: match.end()]
        if value is None:
            raise StateError(path, f"{walked} does not exist")
        above = (entity, entity.key_of(value))
        position = match.end()
        if position < len(path):
            if path[position] != ".":
                raise StateError(path, f"expected '.' at character {position + 1}")
            position += 1
    if value is None:
        raise StateError(path, "the path is empty")
    return value


def path_segment(entity: str, key: str) -> str:
    """`entity[key]` with the key escaped."""
    return f"{entity}[{key.replace(chr(92), chr(92) * 2).replace(']', chr(92) + ']')}]"


def _parent_of(tables: AppTables, entity: Entity, value: Object) -> tuple[str, tuple[SqlValue, ...]] | None:
    for parent, link in entity.parents.items():
        key = entity.link_of(value, link)
        if all(part not in (None, "") for part in key):
            return parent, key
    return None


def _shown_key(entity: Entity, value: Object, link: tuple[str, ...]) -> str:
    """Return an object's key in its map, without the columns that its parent already determines."""
    own = [k for k in entity.key if k not in link] or list(entity.key)
    return "/".join(str(value[k]) for k in own)


def _walk(
    tables: AppTables, name: str, below: object, collected: dict[str, list[Object]], parent: tuple[Entity, Object] | None,
    path: str,
) -> None:  # fmt: skip
    entity = tables.entities.get(name)
    here = f"{path}.{name}" if path else name
    if entity is None:
        raise StateError(here, f"unknown entity; {tables.app} has: {', '.join(tables.entities)}")
    if not isinstance(below, dict):
        raise StateError(here, "expected a map of key → object")
    children = {child.name for child in tables.children(name)}
    for key, node in below.items():
        place = f"{path}.{path_segment(name, key)}" if path else path_segment(name, key)
        if not isinstance(node, dict):
            raise StateError(place, "expected an object")
        value = {k: v for k, v in node.items() if k not in children}
        if parent is not None:
            link = entity.parents.get(parent[0].name, ())
            for column, above in zip(link, parent[0].key, strict=True):
                entity.fill_link(value, column, parent[1][above])
        own = [k for k in entity.key if value.get(k) is None]
        if len(own) == 1:
            value[own[0]] = int(key) if str(entity.table.c[own[0]].type) == "INTEGER" else key
        collected.setdefault(name, []).append(value)
        for child in [name for name in node if name in children]:
            _walk(tables, child, node[child], collected, (entity, value), place)
