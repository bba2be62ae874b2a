"""Glob patterns for one name of a path, like npm's `minimatch`: `*`, `?`, classes, and groups such as `@(a|b)`.

Matching tracks the set of positions that a pattern may have reached in a name, so no pattern takes long. Characters are UTF-16
units, as in JavaScript.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

_KINDS = "!?+*@"
_PLAIN_END = re.compile(r"\*+([^+@!?*\[(]*)")
_MARKS = re.compile(r"\?+([^+@!?*\[(]*)")
# Prefixes of the Unicode categories of each class. ASCII and hexadecimal digits are handled separately. In minimatch, `print`
# contains what is not printable.
_POSIX = {
    "[:alnum:]": ("L", "Nl", "Nd"),
    "[:alpha:]": ("L", "Nl"),
    "[:ascii:]": (),
    "[:blank:]": ("Zs",),
    "[:cntrl:]": ("Cc",),
    "[:digit:]": ("Nd",),
    "[:graph:]": ("L", "M", "N", "P", "S"),
    "[:lower:]": ("Ll",),
    "[:print:]": ("C",),
    "[:punct:]": ("P",),
    "[:space:]": ("Z",),
    "[:upper:]": ("Lu",),
    "[:word:]": ("L", "Nl", "Nd", "Pc"),
    "[:xdigit:]": (),
}


def _is_of(name: str, character: str) -> bool:
    """Return whether a character belongs to a named class."""
    if name == "[:ascii:]":
        return character.isascii()
    if name == "[:xdigit:]":
        return character in _HEXADECIMAL
    if character in _MORE.get(name, ""):
        return True
    return unicodedata.category(character).startswith(_POSIX[name])


_HEXADECIMAL = "0123456789abcdefABCDEF"
_MORE = {"[:blank:]": "\t", "[:space:]": "\t\r\n\v\f"}


@dataclass(frozen=True, slots=True)
class _Literal:
    character: str

    def fits(self, character: str) -> bool:
        return character == self.character


@dataclass(frozen=True, slots=True)
class _Any:
    def fits(self, character: str) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class _Class:
    negated: bool
    ranges: Sequence[tuple[str, str]]
    names: Sequence[str]

    def fits(self, character: str) -> bool:
        current = any(low <= character <= high for low, high in self.ranges)
        return (current or any(_is_of(name, character) for name in self.names)) != self.negated


@dataclass(frozen=True, slots=True)
class _Star:
    pass


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    kind: Literal["!", "?", "+", "*", "@"]
    options: Sequence[Sequence[_Node]]


_Node = _Literal | _Any | _Class | _Star | _Group


@dataclass(frozen=True)
class NamePattern:
    """A pattern for one name."""

    pattern: str

    def matches(self, name: str) -> bool:
        """Return whether the pattern matches a whole name, which must not be empty."""
        if (end := self._plain_end) is not None:
            return name.endswith(end[0]) and (end[1] is None or len(_units(name)) == end[1])
        characters = name if self._by_character else _units(name)
        return len(characters) in _Match(characters).after(self._nodes, {0}, ())

    @cached_property
    def _plain_end(self) -> tuple[str, int | None] | None:
        """Return the suffix and length of simple patterns such as `*.py` and `??.py`, in which backslashes are literal."""
        if match := _PLAIN_END.fullmatch(self.pattern):
            return match[1], None
        if match := _MARKS.fullmatch(self.pattern):
            return match[1], len(_units(self.pattern))
        return None

    @cached_property
    def _by_character(self) -> bool:
        """Return whether the pattern matches whole characters, which a named class causes in the regular expression."""
        return any(name in self.pattern for name in _POSIX if name not in ("[:ascii:]", "[:xdigit:]"))

    @cached_property
    def _nodes(self) -> Sequence[_Node]:
        nodes = _Reader(self.pattern if self._by_character else _units(self.pattern)).sequence()
        alone = nodes[0] if len(nodes) == 1 else None
        if isinstance(alone, _Group) and alone.kind != "!" and not any(alone.options):
            return [_Literal(unit) for unit in _units(self.pattern)]  # `@()` alone means these characters literally
        return nodes


def _units(text: str) -> str:
    """Return a text with one character per UTF-16 unit."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(int.from_bytes(data[i : i + 2], "little")) for i in range(0, len(data), 2))


class _Match:
    """The matching of patterns against one name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._negated: dict[tuple[_Group, int], bool] = {}

    def after(self, nodes: Sequence[_Node], places: set[int], rest: Sequence[_Node]) -> set[int]:
        """Return the positions after matching nodes from any of these positions. `rest` follows all of the nodes."""
        for i, node in enumerate(nodes):
            if not places:
                break
            match node:
                case _Star():
                    places = set(range(min(places), len(self._name) + 1))
                case _Group():
                    places = self._after_group(node, places, (*nodes[i + 1 :], *rest))
                case _:
                    places = {at + 1 for at in places if at < len(self._name) and node.fits(self._name[at])}
        return places

    def _after_group(self, group: _Group, places: set[int], rest: Sequence[_Node]) -> set[int]:
        if group.kind == "!":
            reached: set[int] = set()
            for at in places:
                if not any(group.options):
                    reached |= set(range(at + 1, len(self._name) + 1))  # `!()` matches any text except the empty one
                elif not self._is_one_of(group, at, rest):
                    reached |= set(range(at, len(self._name) + 1))
            return reached
        once = self._after_any(group, places)
        if group.kind in "*+":
            new = once
            while new := self._after_any(group, new) - once:
                once = once | new
        return once | places if group.kind in "?*" else once

    def _after_any(self, group: _Group, places: set[int]) -> set[int]:
        return set().union(*(self.after(option, places, ()) for option in group.options))

    def _is_one_of(self, group: _Group, at: int, rest: Sequence[_Node]) -> bool:
        """Return whether an alternative that `!( )` excludes matches here together with the rest of the pattern."""
        if (known := self._negated.get((group, at))) is None:
            end = len(self._name)
            known = any(end in self.after((*option, *rest), {at}, ()) for option in group.options)
            self._negated[group, at] = known
        return known


class _Reader:
    """Parses a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def sequence(self, stops: str = "", depth: int = 0) -> list[_Node]:
        """Parse nodes up to a stop character or the end."""
        nodes: list[_Node] = []
        while self._at < len(self._pattern) and (here := self._pattern[self._at]) not in stops:
            if here in _KINDS and self._pattern[self._at + 1 : self._at + 2] == "(" and depth <= _DEEPEST:
                nodes += self._group(depth)
            elif here == "[" and (group := self._class()) is not None:
                nodes.append(group)
            elif here == "\\" and self._at + 1 < len(self._pattern):
                nodes.append(_Literal(self._pattern[self._at + 1]))
                self._at += 2
            else:
                node: _Node = _Star() if here == "*" else _Any() if here == "?" else _Literal(here)
                if not (nodes and isinstance(node, _Star) and isinstance(nodes[-1], _Star)):
                    nodes.append(node)
                self._at += 1
        return nodes

    def _group(self, depth: int) -> list[_Node]:
        """Parse `@(a|b)`; an unclosed group means its characters literally, except for special ones."""
        begin = self._at
        self._at += 2
        options = [self.sequence("|)", depth + 1)]
        while self._pattern[self._at : self._at + 1] == "|":
            self._at += 1
            options.append(self.sequence("|)", depth + 1))
        if self._at < len(self._pattern):
            self._at += 1
            return [_Group(self._pattern[begin], options)]  # type: ignore[arg-type]
        inner = _Reader(self._pattern[begin:])
        return inner.sequence("", _DEEPEST + 1)

    def _class(self) -> _Class | None:
        """Parse `[a-z]`; return None for an unclosed bracket."""
        pattern, i = self._pattern, self._at + 1
        negated = pattern[i : i + 1] in ("!", "^")
        i += negated
        ranges: list[tuple[str, str]] = []
        names: list[str] = []
        low: str | None = None
        begun = False
        while i < len(pattern):
            here = pattern[i]
            if here == "]" and begun:
                self._at = i + 1
                # an empty class matches nothing, negated or not
                return _Class(negated and bool(ranges or names), ranges, names)
            begun = True
            name = next((name for name in _POSIX if pattern.startswith(name, i)), None)
            if here == "[" and name is not None and low is None:
                names.append(name)
                i += len(name)
                continue
            if here == "\\" and i + 1 < len(pattern):
                i += 1
                here = pattern[i]
            if low is not None:
                ranges += [(low, here)] if low <= here else []
                low = None
            elif pattern.startswith("-]", i + 1):
                ranges += [(here, here), ("-", "-")]
                i += 1
            elif pattern.startswith("-", i + 1):
                low = here
                i += 1
            else:
                ranges.append((here, here))
            i += 1
        return None


_DEEPEST = 20
