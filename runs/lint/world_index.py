"""Analyse the world around a task: similar people and rows that an agent could confuse, and plausible argument values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import orjson

from soundstage.contexts.apps import meaning_of, tables_of
from soundstage.contexts.engine.schema import Object
from soundstage.grading.evidence import ContextRecord, Key
from soundstage.grading.lint.arguments import Path, leaves, pool_of
from soundstage.grading.lint.oracle_run import Confusion, PlayedCall
from soundstage.grading.texts.normalize import normalize
from soundstage.runs.dry_run import DryRun

_LOOKALIKES = 2
_MOST_VALUES = 40
_MOST_COMPARED = 200
_NAMES = ("name", "summary", "title", "handle")
_WORDS = re.compile(r"[a-z0-9à-öø-ÿāčďěńňőřšťůűýž]+|[\u4e00-\u9fff]")
_GENERAL = ("query", "keyword", "search")


class WorldIndex:
    """All initial rows of the session's apps, with values derived from them."""

    def __init__(self, dry_run: DryRun) -> None:
        self._dry_run = dry_run
        self._rows: dict[tuple[str, str], list[tuple[Key, Object]]] = {}
        with dry_run.record() as record:
            self._read(record)
            self.accounts = {
                person: {app: dict(_account(self.rows(app, "user"), app, known)) for app, known in ids.items()}
                for person, ids in dry_run.people.items()
            }

    def _read(self, record: ContextRecord) -> None:
        for app in self._dry_run.task.apps:
            for entity in tables_of(app).entities:
                if entity not in meaning_of(app).bookkeeping:
                    self._rows[app, entity] = list(record.rows(app, entity))

    def rows(self, app: str, entity: str) -> list[tuple[Key, Object]]:
        """Return an entity's initial rows."""
        return self._rows.get((app, entity), [])

    @cached_property
    def ids(self) -> dict[str, tuple[Key, Object]]:
        """Every id that identifies exactly one row."""
        result: dict[str, tuple[Key, Object]] = {}
        for (app, entity), rows in self._rows.items():
            declared = tables_of(app).entities[entity]
            columns = [c.name for c in declared.table.columns if "id_format" in c.info]
            key_parts = declared.key if len(declared.key) == 1 else declared.key[-1:]
            for key, row in rows:
                for name in dict.fromkeys((*key_parts, *columns)):
                    value = row.get(name)
                    if isinstance(value, str) and len(value) >= 6:
                        result.setdefault(value, (key, row))
        return result

    @cached_property
    def people(self) -> dict[str, frozenset[str]]:
        """Each person's names and addresses in all apps."""
        result: dict[str, set[str]] = {}
        for person, known in self._dry_run.people.items():
            names = result.setdefault(person, set())
            for app, ids in known.items():
                for key, row in self.rows(app, "user"):
                    if key[2] in ids:
                        names |= {v for p, v in leaves(row) if isinstance(v, str) and _is_name(p, v)}
        return {person: frozenset(names) for person, names in result.items()}

    @cached_property
    def written(self) -> list[tuple[str, str, Object, str]]:
        """Every row as plain text: app, entity, the row, the text."""
        return [
            (app, entity, row, normalize(orjson.dumps(row).decode()))
            for (app, entity), rows in self._rows.items()
            for _, row in rows
        ]

    @cached_property
    def texts(self) -> list[str]:
        """All texts that people wrote in the world, in plain form."""
        result: list[str] = []
        for (app, entity), rows in self._rows.items():
            if (text := meaning_of(app).text.get(entity)) is not None:
                result += [normalize(text(row)) for _, row in rows]
        return [text for text in result if text]

    def mistaken(self, made: Sequence[PlayedCall]) -> Iterator[Confusion]:
        """Yield a likely confusion for every person and row that a writing call names."""
        named = {v for m in made if m.writes for _, leaf in leaves(m.arguments) for v in _parts(leaf)}
        for person in sorted(self.accounts):
            if any(text in named for accounts in self.accounts[person].values() for text in accounts.values()):
                for alike in self._like_person(person):
                    yield Confusion("wrong person", person, alike, self._texts_of(person, alike))
        people = {text for accounts in self.accounts.values() for texts in accounts.values() for text in texts.values()}
        handles = self._handles
        for text in sorted(named - people):
            match = self.ids.get(text) or handles.get(text)
            if match is None or match[0][1] == "user":
                continue
            key, row = match
            for other in self._like_row(key, row):
                wrong = self._spelt(text, row, other)
                if wrong is not None and wrong != text:
                    operator = "wrong place" if self._is_place(key) else "wrong row"
                    yield Confusion(operator, _shown(key, row), _shown((*key[:2], wrong), other), {text: wrong})

    @cached_property
    def _handles(self) -> dict[str, tuple[Key, Object]]:
        """Rows by their name as written in arguments: `#general`."""
        return {
            f"#{row['name']}": (key, row)
            for rows in self._rows.values()
            for key, row in rows
            if isinstance(row.get("name"), str) and row["name"]
        }

    def _spelt(self, text: str, row: Object, other: Object) -> str | None:
        if text == f"#{row.get('name')}":
            return f"#{other.get('name')}"
        column = next((c for c, v in row.items() if v == text), None)
        value = other.get(column) if column is not None else None
        return value if isinstance(value, str) else None

    def _is_place(self, key: Key) -> bool:
        """Whether a row contains messages of people: a chat, a channel, a page."""
        declared = tables_of(key[0]).entities
        return any(key[1] in declared[e].parents for e in meaning_of(key[0]).outward)

    def _like_person(self, person: str) -> list[str]:
        """Return people who are easily confused with this one: the nearest names, and the most similar accounts (of one team)."""
        names, whole = _words(" ".join(sorted(self.people[person]))), _words(self._written(person))
        others = [p for p in self.accounts if p != person and self.accounts[p].keys() & self.accounts[person].keys()]
        by_name = sorted(others, key=lambda p: -_alike(names, _words(" ".join(sorted(self.people[p])))))
        by_all = sorted(others, key=lambda p: -_alike(whole, _words(self._written(p))))
        return list(dict.fromkeys([*by_name[:1], *by_all[:1], *by_name[1:2]]))[:_LOOKALIKES]

    def _written(self, person: str) -> str:
        ids = self._dry_run.people[person]
        rows = [row for app, known in ids.items() for key, row in self.rows(app, "user") if key[2] in known]
        return orjson.dumps(rows).decode()

    def _texts_of(self, person: str, other: str) -> dict[str, str]:
        result: dict[str, str] = {}
        for app, account in self.accounts[person].items():
            theirs = self.accounts[other].get(app, {})
            result |= {text: theirs[path] for path, text in account.items() if path in theirs}
        return result

    def _like_row(self, key: Key, row: Object) -> list[Object]:
        """Return similar rows of the same entity: the one with the nearest name, and the one with most words in common."""
        app, entity, _ = key
        names, whole = _words(_name(key, row)), _words(orjson.dumps(row).decode())
        others = [(k, r) for k, r in self.rows(app, entity) if k != key]
        if not others:
            return []
        by_name = max(others, key=lambda kr: (_alike(names, _words(_name(*kr))), _has_name(kr[1])))
        by_all = max(others[:_MOST_COMPARED], key=lambda kr: _alike(whole, _words(orjson.dumps(kr[1]).decode())))
        return [by_name[1]] if by_name[0] == by_all[0] else [by_name[1], by_all[1]]

    def spellings(self, app: str, text: str) -> list[str]:
        """Return other spellings by which an app knows the same person or row."""
        result: list[str] = []
        for accounts in self.accounts.values():
            if text in accounts.get(app, {}).values():
                result += [t for t in accounts[app].values() if t != text]
        if (row := self.ids.get(text)) is not None and isinstance(row[1].get("name"), str):
            result.append(f"#{row[1]['name']}")
        return list(dict.fromkeys(result))

    def pool(self, made: Sequence[PlayedCall]) -> dict[str, list[Any]]:
        """Return plausible argument values: values of the oracle's calls, the task's rows, and each entity's first row."""
        result: dict[str, list[Any]] = {}
        for m in made:
            for name, values in pool_of(m.arguments).items():
                result.setdefault(name, []).extend(v for v in values if v not in result.get(name, []))
        for _, (_, entity, joined) in sorted(self._dry_run.names.items()):
            result.setdefault(f"{entity}_id", []).append(joined.rpartition("/")[2])
        for (_, entity), rows in self._rows.items():
            if rows:
                result.setdefault(f"{entity}_id", []).append(rows[0][0][2].rpartition("/")[2])
                for name, value in rows[0][1].items():
                    if isinstance(value, str) and name not in result:
                        result[name] = [value]
        for name in _GENERAL:
            result.setdefault(name, []).extend(sorted(self.people.get(self._dry_run.task.user, ()))[:1])
        return result

    def wide_pool(self, made: Sequence[PlayedCall]) -> dict[str, list[Any]]:
        """Return the pool extended by many rows of each entity and many texts."""
        result = self.pool(made)
        for (_, entity), rows in self._rows.items():
            step = max(1, len(rows) // _MOST_VALUES)
            for key, row in rows[::step]:
                result.setdefault(f"{entity}_id", []).append(key[2].rpartition("/")[2])
                for name, value in row.items():
                    if isinstance(value, str | int):
                        result.setdefault(name, []).append(value)
        step = max(1, len(self.texts) // _MOST_VALUES)
        for name in ("text", "content", "markdown", "title", "name", "summary"):
            result.setdefault(name, []).extend(self.texts[::step])
        return result


def _account(rows: Iterable[tuple[Key, Object]], app: str, known: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the values that only this person has in an app (ids, handles, addresses), with their paths."""
    for key, row in rows:
        if key[2] in known:
            for path, value in leaves(row):
                if isinstance(value, str) and " " not in value and len(value) >= 6 and (value in known or "@" in value):
                    yield f"{app}.{'.'.join(map(str, path))}", value


def _is_name(path: Path, value: str) -> bool:
    """Whether a cell of an account is its owner's name or address; lists contain other people's."""
    if not value or not all(isinstance(part, str) for part in path):
        return False
    return path[-1] in ("name", "en_name", "real_name", "nickname", "display_name") or "@" in value


def _parts(leaf: Any) -> list[str]:
    return [p.strip() for p in leaf.split(",")] if isinstance(leaf, str) else []


def _name(key: Key, row: Object) -> str:
    text = meaning_of(key[0]).text.get(key[1])
    name = next((row[n] for n in _NAMES if isinstance(row.get(n), str)), "")
    return name or (text(row) if text is not None else "") or key[2]


def _has_name(row: Object) -> bool:
    return any(row.get(n) for n in _NAMES)


def _shown(key: Key, row: Object) -> str:
    label = " ".join(_name(key, row).split())
    return f"{key[1]} {label if len(label) <= 40 else label[:39] + '…'}"


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(normalize(text)))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words in common."""
    return len(one & other) / max(1, len(one | other))
