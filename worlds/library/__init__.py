"""Building the library of facts that all sessions share, from source files that people can read.

A realm is a module of this package with `rows(facts)`, which returns its rows as (entity, row) from the files next to it, in a
fixed order. `facts` contains the rows of the realms built before it, by realm and entity, so that a page may mention a venue.
`soundstage.contexts.library` declares the tables; each app's own tables declare what an entity shows of them. The result is one
SQLite file, stored under a hash of all its sources; `soundstage library check` verifies its consistency.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import apsw

from soundstage.code_hash import hashed_part
from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.apps import shipped_tables
from soundstage.contexts.engine import library
from soundstage.contexts.engine.library import Library
from soundstage.contexts.engine.schema import Entity, Object, StateError
from soundstage.contexts.library import realms
from soundstage.worlds.partial import partial

Facts = Mapping[tuple[str, str], list[Object]]
"""(realm, entity) → the rows of the realms that have been built, in the library's order."""

_FOLDER = Path(__file__).parent
_PACKAGE = _FOLDER.parents[1]
_NO_SOURCES = (".pyc", ".pyo")


def serve(folder: Path) -> None:
    """Let this process read the library below `folder`, unless it reads one already: all libraries are equal.

    The library is built at its first use.
    """
    library.provide(lambda: Library(built(folder), realms()))


def built(folder: Path) -> Path:
    """Return the library's file below `folder`, and build it if it does not exist yet.

    Raises:
        StateError: when a realm's rows do not fit its tables.
        BrokenApp: when an app's entity shows what is not there.
    """
    path = database(folder)
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with partial(path) as made:
            build(made)
            made.replace(path)
    return path


def database(folder: Path) -> Path:
    """Return the path of the library's file below `folder`; it exists after a build."""
    return folder / f"library-{fingerprint()}.db"


def build(path: Path) -> None:
    """Write the library into a file that is not there or empty; see `built`."""
    connection = apsw.Connection(str(path))
    try:
        with connection:
            connection.execute(library.DIGEST_DDL)
            digest = _write_realms(connection)
            for tables in shipped_tables().values():
                for entity in tables.entities.values():
                    if entity.backed is not None:
                        digest.update(_make_view(connection, entity).encode())
            connection.execute("INSERT INTO _library VALUES (?)", (digest.hexdigest(),))
        connection.execute("ANALYZE; VACUUM")
    finally:
        connection.close()


def _write_realms(connection: apsw.Connection) -> hashlib.blake2b:
    """Make and fill every realm's tables. Returns the hash of all rows."""
    digest = hashlib.blake2b(digest_size=16)
    facts: dict[tuple[str, str], list[Object]] = {}
    for realm, tables in realms().items():
        for statement in tables.ddl():
            connection.execute(statement)
        facts |= {(realm, name): [] for name in tables.entities}
        for number, (name, row) in enumerate(_rows(realm, facts), start=1):
            entity = tables.entities[name]
            where = f"{realm}.{name}[{len(facts[realm, name])}]"
            cells = entity.encode(entity.check(row, where))
            if unknown := entity.unknown_fields(row):
                raise StateError(f"{where}.{unknown[0]}", f"is no field; fields: {', '.join(entity.fields)}")
            try:
                connection.execute(entity.insert_sql, (*cells, number))
            except apsw.ConstraintError as error:
                raise StateError(where, f"{entity.key_of(row)!r}: {error}") from None
            digest.update(repr((realm, name, cells)).encode())
            facts[realm, name].append(row)
    return digest


def _rows(realm: str, facts: Facts) -> Iterator[tuple[str, Object]]:
    rows: Iterator[tuple[str, Object]] = importlib.import_module(f"{__name__}.{realm}").rows(facts)
    return rows


def _make_view(connection: apsw.Connection, entity: Entity) -> str:
    """Make the view that an app's backed entity reads, under the name of its table. Returns its definition."""
    place = f"{entity.app} {entity.name}"
    try:
        connection.execute(f"CREATE TEMP VIEW shown AS {entity.backed}")
        named: Any = connection.execute("SELECT name FROM pragma_table_info('shown')").fetchall()
        connection.execute("DROP VIEW shown")
    except apsw.SQLError as error:
        raise BrokenApp(f"{place}: what it is backed by cannot be read ({error})") from None
    shown = {name for (name,) in named}
    if "_seq" not in shown or (unknown := shown - set(entity.stored)):
        problem = "gives no _seq" if "_seq" not in shown else f"gives {min(unknown)!r}, which is no field of it"
        raise BrokenApp(f"{place}: what it is backed by {problem}")
    columns = ", ".join(f'"{name}"' if name in shown else f'NULL AS "{name}"' for name in entity.stored)
    definition = f"CREATE VIEW {entity.table.name} AS SELECT {columns} FROM ({entity.backed})"  # noqa: S608 declared
    connection.execute(definition)
    return definition


@cache
def fingerprint() -> str:
    """Return a hash of everything that the library is made from; comments and docstrings do not count."""
    content = hashlib.blake2b(digest_size=8)
    contexts = _PACKAGE / "contexts"
    files = [*(contexts / "apps").glob("*.py"), *(contexts / "library").glob("*.py")]
    files += [contexts / "engine" / name for name in ("geometry.py", "ids.py", "library.py", "schema.py")]
    files += [p for p in _FOLDER.rglob("*") if p.is_file() and p.suffix not in _NO_SOURCES]
    for file in sorted(files):
        content.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\x00" + hashed_part(file))
    return content.hexdigest()
