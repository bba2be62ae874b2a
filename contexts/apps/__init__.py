"""The declared tables of every app: one module per app, each with an `AppTables` named `TABLES`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from soundstage.contexts.engine.schema import AppTables


@cache
def all_tables() -> dict[str, AppTables]:
    """App name → its tables, in alphabetical order."""
    found = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: importlib.import_module(f"soundstage.contexts.apps.{name}").TABLES for name in found}
