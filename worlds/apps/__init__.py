"""How each app's rows are worded in a world: one module per app of `soundstage.contexts.apps`, with an entry in `ROWS` for each
of its entities."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache

from soundstage.contexts.apps import all_tables
from soundstage.worlds.builder.wording import Wording, word


@cache
def all_wording() -> Wording:
    """App → entity → the entity and how its rows are worded, of every app in alphabetical order.

    Raises:
        ValueError: where an app has no module here, or its module does not fit the app's entities.
    """
    found: Wording = {}
    for app, tables in all_tables().items():
        if importlib.util.find_spec(f"{__name__}.{app}") is None:
            raise ValueError(
                f"worlds/apps/{app}.py is missing: it says how the rows of {app}'s entities are worded in a world"
            )
        found[app] = word(tables, importlib.import_module(f"{__name__}.{app}").ROWS)
    return found
