"""The declared tables of every app: one module per app, each with an `AppTables` named `TABLES`, loaded when it is first used."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from soundstage.contexts.engine.problems import BrokenApp
from soundstage.contexts.engine.schema import AppTables


class UnknownTables(LookupError):
    """No app of that name declares tables."""


@cache
def app_names() -> tuple[str, ...]:
    """The apps that declare tables, in alphabetical order."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@cache
def tables_of(app: str) -> AppTables:
    """One app's tables.

    Raises:
        UnknownTables: naming those there are.
        BrokenApp: when its module declares none.
    """
    if app not in app_names():
        raise UnknownTables(f"there is no app {app!r} with objects; known: {', '.join(app_names())}")
    tables = getattr(importlib.import_module(f"{__name__}.{app}"), "TABLES", None)
    if not isinstance(tables, AppTables) or tables.app != app:
        raise BrokenApp(f"contexts/apps/{app}.py has no `TABLES = AppTables({app!r})`")
    return tables


def all_tables() -> dict[str, AppTables]:
    """App name → its tables, in alphabetical order."""
    return {name: tables_of(name) for name in app_names()}
