"""The library's realms: one module for each kind of facts, with the tables that they are told in (`TABLES`, an `AppTables` of
the realm's name). Apps name these tables where the library backs an entity of theirs; see `soundstage.contexts.engine.library`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from soundstage.contexts.engine.schema import AppTables

_LAST = ("answers", "web")
"""Realms that tell what others know are built after them."""


@cache
def realms() -> dict[str, AppTables]:
    """Realm → its tables, in the order in which they are built."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    names.sort(key=lambda name: _LAST.index(name) if name in _LAST else -1)
    return {name: importlib.import_module(f"{__name__}.{name}").TABLES for name in names}
