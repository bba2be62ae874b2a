"""The declared tables of every app: one module per app, loaded at its first use.

Each module has an `AppTables` named `TABLES`, and a `Meaning` named `MEANING` if its rows need one. Tables that apps share have
separate names: `disk` (the session's files), `web` (data that sites store), and `library` (where backed entities read).

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
    """Return the names of the apps that declare tables, including apps of app roots, in alphabetical order."""
    return tuple(sorted({*shipped_names(), *app_roots.app_names()}))


@cache
def shipped_names() -> tuple[str, ...]:
    """Return the names of the package's own apps, which worlds can contain, in alphabetical order."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@cache
def tables_of(app: str) -> AppTables:
    """Return the tables of an app, or the shared tables of this name.

    Raises:
        UnknownTables: no app has this name; the message names the existing ones.
        BrokenApp: the app's module declares no tables.
    """
    if (root := app_roots.root_of(app)) is not None:
        return _of_root(app, root)
    tables = getattr(_module(app), "TABLES", None)
    if not isinstance(tables, AppTables) or tables.app != app:
        raise BrokenApp(f"contexts/apps/{app}.py has no `TABLES = AppTables({app!r})`")
    return tables


@cache
def meaning_of(app: str) -> Meaning:
    """Return the meaning of an app's rows, by default an empty `Meaning`.

    Raises:
        UnknownTables: no app has this name; the message names the existing ones.
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
    """Return the tables of these apps and the shared tables that they use, by name in alphabetical order.

    Raises:
        UnknownTables: no app has one of the names; the message names the existing ones.
    """
    tables_by_name = {name: tables_of(name) for name in apps}
    used = {
        disk.NAME: any(tables.uses_disk for tables in tables_by_name.values()),
        library.NAME: any(tables.uses_library for tables in tables_by_name.values()),
        web.NAME: any(tables.uses_web for tables in tables_by_name.values()),
    }
    tables_by_name |= {name: SHARED[name].TABLES for name, uses in used.items() if uses}
    return dict(sorted(tables_by_name.items()))


def shipped_tables() -> dict[str, AppTables]:
    """Return the tables of all apps of the package and their shared tables, by name in alphabetical order."""
    return tables_for(shipped_names())


for _cached in (app_names, tables_of, meaning_of):
    app_roots.forgets(_cached.cache_clear)
