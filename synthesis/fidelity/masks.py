"""Mask values that vary from run to run (ids, times, cursors), so that replies can be compared.

An entry of `volatile` is `re:<regex>` (its matches in a text), a JSON path (`$.items[*].id`, `$` for the whole reply), a bare
key (at any depth; in a text reply the rest of the line after `key:`), or a phrase that describes one of these.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from soundstage.synthesis.fidelity.prose import in_masks

MASK = "•••"
"""The replacement for a volatile part; it is not a word and therefore does not affect similarities."""

_PATH = re.compile(r"(?:\$|[\w-]+)(?:\.[^.\[\]]+|\[[^\[\]]+\])*")
_STEP = re.compile(r"\.?([^.\[\]]+)|\[([^\[\]]+)\]")
_KEY = re.compile(r"[\w-]+")
_ADDRESS = re.compile(r"https?://[^\s()<>\"']+")

Step = str | int
"""A member's name, an index in a list, or `*` for all of them."""


class NotAMask(ValueError):
    """An entry of `volatile` that is neither a pattern, nor a path, nor a key."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """The matches of a regular expression in texts, and numbers that it matches completely."""

    regex: re.Pattern[str]

    def apply(self, value: Any) -> Any:
        """Mask the matches in a value."""
        if isinstance(value, str):
            return self.regex.sub(MASK, value)
        if isinstance(value, dict):
            return {name: self.apply(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.apply(item) for item in value]
        if isinstance(value, int | float) and self.regex.fullmatch(str(value)):
            return MASK
        return value


@dataclass(frozen=True, slots=True)
class Path:
    """One place in JSON, or several with `*`; without steps the whole reply."""

    steps: tuple[Step, ...]

    def apply(self, value: Any) -> Any:
        """Mask the places in a value."""
        return _mask_at(value, self.steps)


@dataclass(frozen=True, slots=True)
class Key:
    """Every member of this name; in a text, the rest of a line that starts with it, and for `url` every address."""

    name: str

    def apply(self, value: Any) -> Any:
        """Mask the members in a value."""
        if isinstance(value, str):
            if self.name == "url":
                value = _ADDRESS.sub(MASK, value)
            return _line_of(self.name).sub(rf"\g<1>{MASK}", value)
        if isinstance(value, dict):
            return {name: MASK if name == self.name else self.apply(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.apply(item) for item in value]
        return value


Mask = Pattern | Path | Key


def parse_mask(entry: str) -> Mask:
    """Parse an entry of `volatile`.

    Raises:
        NotAMask: The message names the entry and the valid forms.
    """
    if entry.startswith("re:"):
        try:
            return Pattern(re.compile(entry.removeprefix("re:")))
        except re.error as error:
            raise NotAMask(f"{entry!r} is not a valid regular expression ({error})") from None
    if _KEY.fullmatch(entry):
        return Key(entry)
    if _PATH.fullmatch(entry):
        return Path(tuple(_step(*m.groups()) for m in _STEP.finditer(entry.removeprefix("$"))))
    raise NotAMask(f"{entry!r} is neither re:<regex>, nor a JSON path, nor a key")


def not_masks(entries: Iterable[str]) -> list[str]:
    """Return an error message for each entry that is neither a mask nor a known phrase."""
    result: list[str] = []
    for entry in entries:
        try:
            _masks(entry)
        except NotAMask as error:
            result.append(str(error))
    return result


def masks_of(entries: Iterable[str]) -> list[Mask]:
    """Parse entries to masks; invalid entries are skipped."""
    result: list[Mask] = []
    for entry in entries:
        with contextlib.suppress(NotAMask):
            result += _masks(entry)
    return result


def mask(value: Any, entries: Iterable[str]) -> Any:
    """Mask the volatile parts of a text or JSON reply; invalid entries are ignored."""
    for one in masks_of(entries):
        value = one.apply(value)
    return value


def mask_like(value: Any, entries: Iterable[str], recorded: Any) -> Any:
    r"""Mask the volatile parts of our reply.

    A pattern that contains part of the recorded value (`re:1310\d{15}`) does not match ours; text of the same form (equal
    numbers of digits and letters) is masked instead.
    """
    for one in masks_of(entries):
        if isinstance(one, Pattern) and isinstance(value, str) and isinstance(recorded, str):
            drawn = [m[0] for m in one.regex.finditer(recorded)]
            if drawn and not one.regex.search(value):
                one = Pattern(re.compile("|".join(map(_look, drawn))))
        value = one.apply(value)
    return value


def hidden_texts(mask: Mask, text: str) -> list[str]:
    """Return the parts of a text that a mask hides, in order."""
    if isinstance(mask, Pattern):
        return [match[0] for match in mask.regex.finditer(text)]
    if isinstance(mask, Key):
        return [match[2] for match in _line_of(mask.name).finditer(text)]
    return []


def _line_of(key: str) -> re.Pattern[str]:
    """Return a pattern for lines that start with `key:`, with the prefix and the rest as groups."""
    return re.compile(rf"(?m)^(\W*{re.escape(key)}\s*[:：=]\s*)(.+)$")


def _look(text: str) -> str:
    """Return a pattern for texts of the same form: digits and letters in the same places, identical punctuation."""
    return "".join(r"\d" if c.isdigit() else r"[^\W\d_]" if c.isalpha() else re.escape(c) for c in text)


def _masks(entry: str) -> list[Mask]:
    try:
        return [parse_mask(entry)]
    except NotAMask:
        if not (parts := in_masks(entry)):
            raise
        return [parse_mask(part) for part in parts]


def hides_everything(entries: Iterable[str]) -> bool:
    """Whether these masks leave nothing of any reply."""
    return bool(mask(None, entries) == MASK)


def _step(name: str | None, index: str | None) -> Step:
    if name is not None:
        return name
    assert index is not None
    return int(index) if index.isdigit() else index.strip("'\"")


def _mask_at(value: Any, steps: tuple[Step, ...]) -> Any:
    if not steps:
        return MASK
    step, *rest = steps
    if isinstance(value, dict):
        return {k: _mask_at(v, tuple(rest)) if step in ("*", k) else v for k, v in value.items()}
    if isinstance(value, list):
        return [_mask_at(v, tuple(rest)) if step in ("*", i) else v for i, v in enumerate(value)]
    return value
