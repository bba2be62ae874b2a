"""Derive an app's entities from its replies: the objects that argument-free reads list are its state.

Objects are grouped into entities by the name of their list and by their members. The key is the member, or the smallest set of
members, that is unique within a list; without one, rows get generated ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, takewhile
from typing import Any

from soundstage.contexts.engine.ids import ALPHABETS

Objects = list[dict[str, Any]]
OWN_KEY = "row_id"
_ALIKE = 0.5
_COLUMN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")
"""Valid column names; members with other names are stored as they are and cannot be queried."""
_MOST_IN_A_KEY = 3
_LEAST_IDS, _LEAST_DRAWN = 5, 6
_ALPHABETS = ("digits", "hex", "lower", "upper", "alnum", "base64url")
_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Column:
    """A member of an entity's objects; `kind` is Text, Integer, Flag or Json."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class EntityDraft:
    """An entity: its columns, its key, and the reads that show it as (tool, path of the list).

    `id_format` is the form of a server-generated key, such as `gd_{hex:10}`; None if no form is recognizable.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    shown: tuple[tuple[str, str], ...]
    id_format: str | None = None


@dataclass(frozen=True, slots=True)
class Entities:
    """All entities of an app; `state_of` reads a state from probe replies."""

    drafts: tuple[EntityDraft, ...]

    def state_of(self, probes: Mapping[str, Any]) -> dict[str, Objects] | None:
        """Return the state in probe replies (by tool); None if a reply is missing or has another structure."""
        result: dict[str, Objects] = {}
        for draft in self.drafts:
            for tool, path in draft.shown:
                if tool not in probes:
                    return None
                objects = _at(probes[tool], path)
                if objects is None:
                    return None
                known = {column.name for column in draft.columns}
                result[draft.name] = [{k: v for k, v in one.items() if k in known} for one in objects]
                break
        return result

    @property
    def readers(self) -> frozenset[str]:
        """Return the tools whose replies show the state."""
        return frozenset(tool for draft in self.drafts for tool, _ in draft.shown[:1])


def find_entities(probes: Sequence[Mapping[str, Any]]) -> Entities:
    """Derive the entities from probes; each item of `probes` maps tools to their replies at one point in time."""
    lists: dict[tuple[str, str], list[Objects]] = {}
    for moment in probes:
        for tool, reply in moment.items():
            for path, objects in _lists(reply, "$"):
                lists.setdefault((tool, path), []).append(objects)
    drafts: list[EntityDraft] = []
    for place, shown in lists.items():
        filled = [objects for objects in shown if objects]
        if not filled:
            continue
        names = {name for objects in filled for one in objects for name in one}
        same = next((d for d in drafts if _alike({c.name for c in d.columns}, names)), None)
        if same is None:
            drafts.append(_draft(place, filled, {d.name for d in drafts}))
        else:
            drafts[drafts.index(same)] = replace(same, shown=(*same.shown, place))
    return Entities(tuple(sorted(drafts, key=lambda d: d.name)))


def _draft(place: tuple[str, str], shown: Sequence[Objects], taken: set[str]) -> EntityDraft:
    order = list(dict.fromkeys(name for objects in shown for one in objects for name in one if _COLUMN.fullmatch(name)))
    columns = tuple(
        Column(name, _kind([one[name] for objects in shown for one in objects if name in one])) for name in order
    )
    name = singular(place[1].rsplit(".", 1)[-1] if "." in place[1] else place[0].split("_")[-1])
    while name in taken:
        name += "_item"
    key = _key(columns, shown)
    drawn = id_format_of([one.get(key[0]) for objects in shown for one in objects]) if len(key) == 1 else None
    return EntityDraft(name, columns, key, (place,), "{hex:12}" if key == (OWN_KEY,) else drawn)


def id_format_of(values: Sequence[Any]) -> str | None:
    """Return the template of generated ids in the notation of `contexts.engine.ids`, or None.

    Generated ids are texts of one length with a common prefix and a random remainder.
    """
    texts = {value for value in values if isinstance(value, str)}
    if len(texts) < _LEAST_IDS or len(texts) < len(set(map(repr, values))):
        return None
    if all(_UUID4.fullmatch(text) for text in texts):
        return "{uuid4}"
    begin = re.match(r"(?:[A-Za-z]*[_:./-])*", _common(min(texts), max(texts)))
    literal = begin[0] if begin else ""
    drawn = [text[len(literal) :] for text in texts]
    lengths = {len(text) for text in drawn}
    if len(lengths) > 1 or min(lengths) < _LEAST_DRAWN or "{" in literal:
        return None
    if sum(any(c.isdigit() for c in text) for text in drawn) < len(drawn) / 2:
        return None  # words of one length
    used = set().union(*drawn)
    name = next((name for name in _ALPHABETS if used <= set(ALPHABETS[name])), None)
    return None if name is None else f"{literal}{{{name}:{lengths.pop()}}}"


def _common(first: str, last: str) -> str:
    """Return the common prefix of two texts; for the first and last of sorted texts it is common to all."""
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))


def _key(columns: Sequence[Column], shown: Sequence[Objects]) -> tuple[str, ...]:
    always = [
        c.name
        for c in columns
        if c.kind in ("Text", "Integer") and all(isinstance(one.get(c.name), str | int) for o in shown for one in o)
    ]
    likely = sorted(
        always,
        key=lambda name: (
            name != "id",
            not name.endswith("id"),
            name not in ("name", "key", "path"),
            always.index(name),
        ),
    )
    for size in range(1, _MOST_IN_A_KEY + 1):
        for names in combinations(likely, size):
            if all(len({tuple(one[n] for n in names) for one in objects}) == len(objects) for objects in shown):
                return tuple(n for n in always if n in names)
    return (OWN_KEY,)


def _kind(values: Sequence[Any]) -> str:
    if all(isinstance(v, str) for v in values):
        return "Text"
    if all(isinstance(v, bool) for v in values):
        return "Flag"
    if all(isinstance(v, int) and not isinstance(v, bool) and abs(v) < 2**63 for v in values):
        return "Integer"
    return "Json"


def _alike(one: set[str], other: set[str]) -> bool:
    return len(one & other) > _ALIKE * len(one | other)


def _lists(value: Any, path: str) -> Iterator[tuple[str, Objects]]:
    """Yield the lists of objects in a reply that are not inside another list."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _lists(item, f"{path}.{name}")
    elif isinstance(value, list) and all(isinstance(one, dict) for one in value):
        yield path, value


def _at(value: Any, path: str) -> Objects | None:
    for name in path.split(".")[1:]:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value if isinstance(value, list) and all(isinstance(one, dict) for one in value) else None


def singular(word: str) -> str:
    """Return the singular of a noun: `entities` → `entity`."""
    word = "".join(c if c.isalnum() else "_" for c in word).strip("_").lower() or "item"
    word = word if word[0].isalpha() else f"item_{word}"
    for ending, one in (
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("ss", "ss"),
        ("s", ""),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + one
    return word
