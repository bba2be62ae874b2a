"""The library's realms: one module for each kind of facts.

Each module declares its tables as `TABLES`, an `AppTables` with the realm's name. Apps refer to these
tables for entities that the library backs; see `soundstage.contexts.engine.library`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from soundstage.contexts.engine.schema import AppTables

_LAST = ("answers", "web")
"""Realms that refer to facts of other realms are built after them."""


@cache
def realms() -> dict[str, AppTables]:
    """Realm → its tables, in the order in which they are built."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    names.sort(key=lambda name: _LAST.index(name) if name in _LAST else -1)
    return {name: importlib.import_module(f"{__name__}.{name}").TABLES for name in names}
