"""An app's entities, from what its replies show: the objects that reads without arguments list are its state.

Objects of one kind are told by the names under which they are listed and the members that they have. A key is what tells those of
one list apart: a member, or the fewest together; where nothing does, rows get ids of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

Objects = list[dict[str, Any]]
OWN_KEY = "row_id"
_ALIKE = 0.5
_COLUMN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")
"""What a column can be called. Members with other names are kept as they come, and nothing can ask for them."""
_MOST_IN_A_KEY = 3


@dataclass(frozen=True, slots=True)
class Column:
    """A member of an entity's objects; `kind` is Text, Integer, Flag or Json."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class EntityDraft:
    """An entity: its columns, which of them are its key, and where reads show it: (tool, path of the list)."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    shown: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Entities:
    """All entities of an app. `state_of` reads a state from what the probes told."""

    drafts: tuple[EntityDraft, ...]

    def state_of(self, probes: Mapping[str, Any]) -> dict[str, Objects] | None:
        """The state that probes show, by tool; None where one of them is missing, or shows something else."""
        found: dict[str, Objects] = {}
        for draft in self.drafts:
            for tool, path in draft.shown:
                if tool not in probes:
                    return None
                objects = _at(probes[tool], path)
                if objects is None:
                    return None
                known = {column.name for column in draft.columns}
                found[draft.name] = [{k: v for k, v in one.items() if k in known} for one in objects]
                break
        return found

    @property
    def readers(self) -> frozenset[str]:
        """The tools whose replies show the state."""
        return frozenset(tool for draft in self.drafts for tool, _ in draft.shown[:1])


def find_entities(probes: Sequence[Mapping[str, Any]]) -> Entities:
    """The entities that probes show; each of `probes` is what was told at one moment, by tool."""
    lists: dict[tuple[str, str], list[Objects]] = {}
    for moment in probes:
        for tool, told in moment.items():
            for path, objects in _lists(told, "$"):
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
            drafts[drafts.index(same)] = EntityDraft(same.name, same.columns, same.key, (*same.shown, place))
    return Entities(tuple(sorted(drafts, key=lambda d: d.name)))


def _draft(place: tuple[str, str], shown: Sequence[Objects], taken: set[str]) -> EntityDraft:
    order = list(dict.fromkeys(name for objects in shown for one in objects for name in one if _COLUMN.fullmatch(name)))
    columns = tuple(
        Column(name, _kind([one[name] for objects in shown for one in objects if name in one])) for name in order
    )
    name = singular(place[1].rsplit(".", 1)[-1] if "." in place[1] else place[0].split("_")[-1])
    while name in taken:
        name += "_item"
    return EntityDraft(name, columns, _key(columns, shown), (place,))


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
    """The lists of objects in a reply that are not inside another list."""
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
    """What one of several is called: `entities` → `entity`."""
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
