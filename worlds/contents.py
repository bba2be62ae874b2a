"""The contents of a world, for choosing one: its people with their accounts, and the number of rows of each kind.

Both are read from the world's built database; names and roles of people come from the cast of its spec.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import apsw

from soundstage.contexts.apps import shipped_tables
from soundstage.worlds import World, built, database

_PEOPLE = re.compile(rb"^(cast|outsiders):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Person:
    """A person of a world. `name`, `role` and `about` come from the spec; without one, the key is the name."""

    key: str
    name: str
    role: str
    about: str
    accounts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a built world.

    `rows` maps app → entity → number of rows, without empty entities. `people` are ordered by their number of accounts.
    """

    people: tuple[Person, ...]
    rows: Mapping[str, Mapping[str, int]]

    @property
    def totals(self) -> dict[str, int]:
        """How many rows each app has."""
        return {app: sum(entities.values()) for app, entities in self.rows.items()}


def contents(world: World, folder: Path) -> Contents:
    """Return the contents of a world, building it first if necessary, which takes more than a second.

    Raises:
        StateError, SourceError: see `soundstage.worlds.built`.
    """
    return _read(world, built(world, folder))


def known_contents(world: World, folder: Path) -> Contents | None:
    """Return the contents of a world that has been built; None otherwise."""
    path = database(world, folder)
    return _read(world, path) if path.exists() else None


@lru_cache(maxsize=32)  # the path has the hash of all that the world is made from
def _read(world: World, path: Path) -> Contents:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        rows = {
            app: {e.name: n for e in tables.entities.values() if (n := _count(connection, str(e.table.name)))}
            for app, tables in shipped_tables().items()
        }
        accounts: dict[str, list[str]] = {}
        listed: Any = connection.execute("SELECT person, app FROM _account ORDER BY person, app")
        for person, app in listed:
            accounts.setdefault(person, []).append(app)
    finally:
        connection.close()
    cast = _cast(world) if accounts else {}
    people = [_person(key, cast.get(key, {}), apps) for key, apps in accounts.items()]
    people.sort(key=lambda p: -len(p.accounts))
    return Contents(tuple(people), {app: entities for app, entities in rows.items() if entities})


def _count(connection: apsw.Connection, table: str) -> int:
    row: Any = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()  # noqa: S608 declared
    return int(row[0])


def _person(key: str, spec: Mapping[str, Any], apps: list[str]) -> Person:
    def text(name: str) -> str:
        return str(spec.get(name) or "")

    return Person(key, text("name") or key, text("role"), text("about"), tuple(apps))


def _cast(world: World) -> dict[str, Mapping[str, Any]]:
    """Return the spec's entry of each person, by key."""
    from soundstage.source import read  # YAML is needed only for worlds with a spec

    cast: dict[str, Mapping[str, Any]] = {}
    for path in world.sources():
        if path.suffix == ".yaml" and _PEOPLE.search(path.read_bytes()):
            value = read(path).value
            for group in ("cast", "outsiders"):
                people = value.get(group) if isinstance(value, dict) else None
                cast.update({str(k): v for k, v in (people or {}).items() if isinstance(v, dict)})
    return cast
