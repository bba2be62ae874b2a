"""Glob patterns over paths, like npm's `minimatch` 10 with `dot: true`.

`**` matches any folders, `*` and `?` stay within a name, `[a-z]` is a class, `{a,b}` are alternatives, `@(a|b)` and similar
groups repeat, and a leading `!` negates the pattern. A pattern with a leading `#` is a comment and matches nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from soundstage.kernels.filesystem.rules.braces import alternatives
from soundstage.kernels.filesystem.rules.errors import Refusal
from soundstage.kernels.filesystem.rules.name_pattern import NamePattern

_LONGEST = 4096
"""Maximum length of a pattern. minimatch allows 65,536 characters and can take very long."""

_ANY_FOLDERS = None
_Part = NamePattern | None


@dataclass(frozen=True, slots=True)
class Glob:
    """A parsed pattern."""

    negated: bool
    alternatives: Sequence[Sequence[_Part]]

    def matches(self, path: str) -> bool:
        """Return whether the pattern matches a relative path, which must not be empty."""
        names = [name for name in path.split("/") if name]
        return any(_fits(parts, names) for parts in self.alternatives) != self.negated


@lru_cache(maxsize=256)
def glob(pattern: str) -> Glob:
    """Parse a pattern.

    Raises:
        Refusal: The pattern is too long.
    """
    if len(pattern) > _LONGEST:
        raise Refusal("invalid", "pattern is too long")
    if not pattern or pattern.startswith("#"):
        return Glob(False, ())
    bare = pattern.lstrip("!")
    negated = (len(pattern) - len(bare)) % 2 == 1
    return Glob(negated, [_parts(one) for one in dict.fromkeys(alternatives(bare))])


def _parts(pattern: str) -> list[_Part]:
    """Split a pattern at its slashes; `..` removes the preceding part."""
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
    """Return whether parts match names; `**` matches any number of them, and at the end at least one."""
    reached = {0}
    for i, part in enumerate(parts):
        if part is not _ANY_FOLDERS:
            reached = {at + 1 for at in reached if at < len(names) and part.matches(names[at])}
        elif reached:
            reached = set(range(min(reached) + (i == len(parts) - 1), len(names) + 1))
        if not reached:
            return False
    return len(names) in reached
