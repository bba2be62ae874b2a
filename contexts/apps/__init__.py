"""The declared tables of every app: one module per app, loaded when it is first used, each with an `AppTables` named `TABLES`
and, where there is something to say about its rows, a `Meaning` named `MEANING`. Beside them stand tables that apps share, under
names of their own: the session's disk, what sites remember of it, and where entities read that the library backs.

An app of an app root is not trusted: its tables are read from `contexts/apps/<app>.json`, and none of its code is imported.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from typing import Any

from soundstage import app_roots
from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine import disk, library, web
from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables

SHARED: dict[str, Any] = {disk.NAME: disk, library.NAME: library, web.NAME: web}
"""Name → module of the tables that apps share."""


class UnknownTables(LookupError):
    """No app of that name declares tables."""


@cache
def app_names() -> tuple[str, ...]:
    """The apps that declare tables, in alphabetical order; those of app roots, too."""
    return tuple(sorted({*shipped_names(), *app_roots.app_names()}))


@cache
def shipped_names() -> tuple[str, ...]:
    """The package's own apps, in alphabetical order: those that worlds know."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@cache
def tables_of(app: str) -> AppTables:
    """One app's tables, or those that apps share under this name.

    Raises:
        UnknownTables: naming those there are.
        BrokenApp: when its module declares none.
    """
    if (root := app_roots.root_of(app)) is not None:
        return _of_root(app, root)
    tables = getattr(_module(app), "TABLES", None)
    if not isinstance(tables, AppTables) or tables.app != app:
        raise BrokenApp(f"contexts/apps/{app}.py has no `TABLES = AppTables({app!r})`")
    return tables


@cache
def meaning_of(app: str) -> Meaning:
    """What one app says about its rows; see `Meaning`. One that says nothing has rows like any others.

    Raises:
        UnknownTables: naming those there are.
    """
    if app_roots.root_of(app) is not None:
        return Meaning()
    meaning: Meaning = getattr(_module(app), "MEANING", Meaning())
    return meaning


def _of_root(app: str, root: app_roots.Root) -> AppTables:
    from soundstage.contexts.engine.table_files import read_tables  # pydantic: only apps of roots need it

    path = f"contexts/apps/{app}.json"
    try:
        content = root.read(app, path)
    except FileNotFoundError:
        raise BrokenApp(f"{root.folder / path} is missing: it declares the entities of {app}") from None
    except app_roots.NotAccepted as error:
        raise BrokenApp(str(error)) from None
    return read_tables(app, content, str(root.folder / path))


def _module(app: str) -> Any:
    if app in SHARED:
        return SHARED[app]
    if app not in app_names():
        raise UnknownTables(f"there is no app {app!r} with objects; known: {', '.join(app_names())}")
    return importlib.import_module(f"{__name__}.{app}")


def tables_for(apps: Iterable[str]) -> dict[str, AppTables]:
    """Name → tables of these apps, in alphabetical order, and of what they share.

    Raises:
        UnknownTables: naming those there are.
    """
    found = {name: tables_of(name) for name in apps}
    used = {
        disk.NAME: any(tables.uses_disk for tables in found.values()),
        library.NAME: any(tables.uses_library for tables in found.values()),
        web.NAME: any(tables.uses_web for tables in found.values()),
    }
    found |= {name: SHARED[name].TABLES for name, uses in used.items() if uses}
    return dict(sorted(found.items()))


def shipped_tables() -> dict[str, AppTables]:
    """Name → tables of every app of the package, in alphabetical order, and of what they share."""
    return tables_for(shipped_names())


for _kept in (app_names, tables_of, meaning_of):
    app_roots.forgets(_kept.cache_clear)
