"""Text with references in it: `{@chen_rui}` mentions, `{chen_rui}` names, `{link:launch_plan}` links, `{client}` slots.

References are parsed once into parts; how an app words a mention or a link is its declaration (`fill.text`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from soundstage.worlds.builder.chinese import full_width
from soundstage.worlds.builder.drafts import Draft
from soundstage.worlds.builder.draw import Draw

_REFERENCE = re.compile(r"\{(?P<mark>@|link:)?(?P<name>[A-Za-z_][\w/.-]*)(?::(?P<low>\d+)-(?P<high>\d+))?\}")


@dataclass(frozen=True, slots=True)
class Reference:
    """A mention or a link in a text."""

    form: Literal["mention", "link"]
    target: Draft


Words = tuple[str | Reference, ...]
"""A text as its parts."""


class UnknownReference(ValueError):
    """A `{name}` in a text that names nothing in the world."""


def parse(
    text: str,
    people: Callable[[str], Draft | None],
    things: Callable[[str], Draft | None],
    slots: Callable[[str, int | None, int | None], str | None],
) -> Words:
    """Text as parts, its Chinese with Chinese punctuation.

    Raises:
        UnknownReference: naming the reference.
    """
    parts: list[str | Reference] = []
    end = 0
    for match in _REFERENCE.finditer(text):
        parts.append(text[end : match.start()])
        end = match.end()
        name, mark = match["name"], match["mark"]
        if mark == "@":
            parts.append(Reference("mention", _known(people(name), f"{{@{name}}} names nobody")))
        elif mark == "link:":
            parts.append(Reference("link", _known(things(name), f"{{link:{name}}} leads to nothing")))
        elif (person := people(name)) is not None:
            parts.append(call_name(person))
        else:
            value = slots(
                name, int(match["low"]) if match["low"] else None, int(match["high"]) if match["high"] else None
            )
            if value is None:
                raise UnknownReference(f"{{{name}}} is nobody's key and no vocabulary")
            parts.append(value)
    parts.append(text[end:])
    return tuple(full_width(part) if isinstance(part, str) else part for part in joined(parts))


def _known(draft: Draft | None, problem: str) -> Draft:
    if draft is None:
        raise UnknownReference(problem)
    return draft


def joined(parts: list[str | Reference]) -> Words:
    """The same text without empty parts and with neighbouring strings put together."""
    run: list[str | Reference] = []
    for part in parts:
        if isinstance(part, str) and run and isinstance(run[-1], str):
            run[-1] += part
        elif part != "":
            run.append(part)
    return tuple(run)


def call_name(person: Draft) -> str:
    """Return the name that colleagues use: a Western first name, or a full Chinese name."""
    latin = str(person.values["latin"])
    name = str(person.values["name"])
    return name if name != latin or "zh" in person.values["languages"] else latin.split()[0]


def mentions(words: Words) -> list[Draft]:
    """Return the people that a text mentions, each once, in order."""
    return list(dict.fromkeys(p.target for p in words if isinstance(p, Reference) and p.form == "mention"))


def plain(words: Words | str) -> str:
    """Text as a person would read it aloud."""
    if isinstance(words, str):
        return words
    return "".join(
        p if isinstance(p, str) else f"@{p.target.values['name']}" if p.form == "mention" else "" for p in words
    )


def lines(words: Words) -> list[Words]:
    """A text split at its line ends."""
    rows: list[list[str | Reference]] = [[]]
    for part in words:
        if isinstance(part, Reference):
            rows[-1].append(part)
            continue
        first, *rest = part.split("\n")
        rows[-1].append(first)
        rows += [[line] for line in rest]
    return [joined(line) for line in rows]


def render(words: Words, mention: Callable[[Draft, int], str], link: Callable[[Draft], str]) -> str:
    """Text as an app stores it. `mention` gets the person and their number among those mentioned, from 1."""
    named = mentions(words)
    return "".join(
        part if isinstance(part, str)
        else mention(part.target, named.index(part.target) + 1) if part.form == "mention"
        else link(part.target)
        for part in words
    )  # fmt: skip


class Slots:
    """Values for the slots of one thread or text: the same name gives the same value all through."""

    def __init__(self, vocabulary: Mapping[str, list[str]], draw: Draw) -> None:
        self._vocabulary = vocabulary
        self._draw = draw
        self._chosen: dict[str, str] = {}

    def __call__(self, name: str, low: int | None, high: int | None) -> str | None:
        """Return the value of a slot, drawn at its first use, or None if it is unknown."""
        if name not in self._chosen:
            if low is not None and high is not None:
                self._chosen[name] = str(self._draw.between(low, high))
            elif values := self._vocabulary.get(name.rstrip("0123456789")):
                taken = set(self._chosen.values())
                self._chosen[name] = self._draw.choice([v for v in values if v not in taken] or values)
            else:
                return None
        return self._chosen[name]
