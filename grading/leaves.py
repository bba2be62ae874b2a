"""Compare rows leaf by leaf, including JSON columns: in Notion one cell holds all properties of a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from soundstage.contexts.engine.schema import Object

Leaf = tuple[str, ...]


def changed_leaves(before: Object | None, after: Object | None) -> set[Leaf]:
    """Return the paths at which two states of a row differ; lists of different length are compared as a whole."""
    return set(_differing(before or {}, after or {}, ()))


def _differing(before: Any, after: Any, path: Leaf) -> Iterator[Leaf]:
    if before == after and type(before) is type(after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before.keys() | after.keys():
            yield from _differing(before.get(name), after.get(name), (*path, name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differing(one, other, (*path, str(i)))
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield path


def below(leaf: Leaf, path: str) -> bool:
    """Whether a leaf is at or below a path of a task file, such as `properties.Status`; member names may contain dots."""
    joined = ".".join(leaf)
    return joined == path or joined.startswith(path + ".") or path.startswith(joined + ".")
