"""The meaning of an app's rows: the values that the app writes automatically, and the text that people read in them.

Comparing an agent's changes with the expected ones needs these declarations, which cannot be derived from the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from soundstage.contexts.engine.schema import Object


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of an app's rows, by entity.

    `automatic` names columns that the app sets automatically when a row changes, or paths into them, where `*` matches any
    member (`properties.*.status.id`). `bookkeeping` names entities that no person sees. `outward` names entities that reach
    other people as soon as they exist, so that deleting them does not undo them. `text` names what a person reads in a row.
    """

    automatic: Mapping[str, frozenset[str]] = field(default_factory=dict)
    bookkeeping: frozenset[str] = frozenset()
    outward: frozenset[str] = frozenset()
    text: Mapping[str, Callable[[Object], str]] = field(default_factory=dict)

    def sets_itself(self, entity: str, path: tuple[str, ...]) -> bool:
        """Return whether the app sets the value at a path of a row automatically."""
        return any(covers(pattern.split("."), path) for pattern in self.automatic.get(entity, ()))


def covers(pattern: list[str], path: tuple[str, ...]) -> bool:
    """Return whether a path is at or below a pattern, in which `*` matches any member."""
    return len(pattern) <= len(path) and all(p in ("*", step) for p, step in zip(pattern, path, strict=False))
