"""What only an app can say about its rows: which values it writes by itself, and what people read in them.

Whoever compares what somebody did with what was wanted needs this, and nobody else can know it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from soundstage.contexts.engine.schema import Object


@dataclass(frozen=True, slots=True)
class Meaning:
    """An app's rows, by entity.

    `automatic` are what the app sets by itself when a row changes: columns, or paths into them where `*` stands for any member
    (`properties.*.status.id`). `bookkeeping` are entities that no person sees, `outward` entities that
    reach other people the moment they exist, so that taking them back does not undo them, and `text` is what a person reads
    in a row.
    """

    automatic: Mapping[str, frozenset[str]] = field(default_factory=dict)
    bookkeeping: frozenset[str] = frozenset()
    outward: frozenset[str] = frozenset()
    text: Mapping[str, Callable[[Object], str]] = field(default_factory=dict)

    def sets_itself(self, entity: str, path: tuple[str, ...]) -> bool:
        """Whether the value at a path of a row is the app's own doing."""
        return any(covers(pattern.split("."), path) for pattern in self.automatic.get(entity, ()))


def covers(pattern: list[str], path: tuple[str, ...]) -> bool:
    """Whether a path lies at or below a pattern, in which `*` stands for any member."""
    return len(pattern) <= len(path) and all(p in ("*", step) for p, step in zip(pattern, path, strict=False))
