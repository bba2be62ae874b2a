"""The wording of each app's rows in a world.

There is one module per app of `soundstage.contexts.apps`, with an entry in `ROWS` for each of its entities.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache

from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.apps import shipped_tables
from soundstage.worlds.builder.wording import Wording, word


@cache
def all_wording() -> Wording:
    """Return app → entity → the entity with its row declaration, for every app in alphabetical order.

    Raises:
        BrokenApp: an app has no module here, or its module does not match the app's entities.
    """
    wording: Wording = {}
    for app, tables in shipped_tables().items():
        if importlib.util.find_spec(f"{__name__}.{app}") is None:
            raise BrokenApp(
                f"worlds/apps/{app}.py is missing: its ROWS say how {app}'s entities are worded in a world; `Rows()` for each "
                f"of them will do to begin with"
            )
        rows = getattr(importlib.import_module(f"{__name__}.{app}"), "ROWS", None)
        if rows is None:
            raise BrokenApp(f"worlds/apps/{app}.py has no ROWS: entity → `Rows(…)`")
        wording[app] = word(tables, rows)
    return wording
