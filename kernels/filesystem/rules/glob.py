"""Glob patterns over paths, as npm's `minimatch` 10 with `dot: true` understands them.

`**` is any folders, `*` and `?` stay within a name, `[a-z]` is a class, `{a,b}` are alternatives, `@(a|b)` and its kin repeat,
and `!` in front turns all of it round. A pattern with `#` in front is a comment, and finds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from soundstage.kernels.filesystem.rules.braces import alternatives
from soundstage.kernels.filesystem.rules.errors import Refusal
from soundstage.kernels.filesystem.rules.name_pattern import NamePattern

_LONGEST = 4096
"""Characters of a pattern. minimatch takes 65,536, and a long time."""

_ANY_FOLDERS = None
_Part = NamePattern | None


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern that was read."""

    negated: bool
    alternatives: Sequence[Sequence[_Part]]

    def matches(self, path: str) -> bool:
        """Whether it fits a relative path, which is not empty."""
        names = [name for name in path.split("/") if name]
        return any(_fits(parts, names) for parts in self.alternatives) != self.negated


@lru_cache(maxsize=256)
def glob(pattern: str) -> Glob:
    """Read a pattern.

    Raises:
        Refusal: it is too long.
    """
    if len(pattern) > _LONGEST:
        raise Refusal("invalid", "pattern is too long")
    if not pattern or pattern.startswith("#"):
        return Glob(False, ())
    bare = pattern.lstrip("!")
    negated = (len(pattern) - len(bare)) % 2 == 1
    return Glob(negated, [_parts(one) for one in dict.fromkeys(alternatives(bare))])


def _parts(pattern: str) -> list[_Part]:
    """A pattern cut at its slashes; `..` takes away what is before it."""
    parts: list[str] = []
    for part in _split(pattern):
        if part == ".." and parts and parts[-1] not in ("", "..", ".", "**"):
            parts.pop()
        else:
            parts.append(part)
    return [_ANY_FOLDERS if part == "**" else NamePattern(part) for part in parts or [""]]


def _split(pattern: str) -> list[str]:
    names = pattern.split("/")
    return [name for i, name in enumerate(names) if name or i in (0, len(names) - 1)]


def _fits(parts: Sequence[_Part], names: Sequence[str]) -> bool:
    """Whether parts fit names one by one. `**` fits any number of them, and at the end one or more."""
    reached = {0}
    for i, part in enumerate(parts):
        if part is not _ANY_FOLDERS:
            reached = {at + 1 for at in reached if at < len(names) and part.matches(names[at])}
        elif reached:
            reached = set(range(min(reached) + (i == len(parts) - 1), len(names) + 1))
        if not reached:
            return False
    return len(names) in reached
