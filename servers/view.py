"""How an app is shown to people: read-only, from its context, as they know it.

An app that has a page of its own keeps it in `servers/<app>/view/`: a module whose `show` turns the context into what a
template of that folder is filled with, and a `style.css`. The gateway puts its own frame around, escapes everything, and
gives the template besides:

* `link(name=value, …)`: the address of the same page with another query;
* `changed(entity, key, …)`: whether the last call changed that row, for a mark.

An app without one is shown from its declared tables.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

from soundstage.contexts.engine.app_context import AppContext

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows: a template of the app's folder, and what it is filled with."""

    template: str
    data: Mapping[str, Any]


class AppView(Protocol):
    """`servers/<app>/view` as a module."""

    def show(self, context: AppContext, query: Mapping[str, str], now: datetime) -> View:
        """The page for a query, at a moment of the session's clock.

        The query's members come from the template's own links, and may be anything all the same.
        """


@cache
def load_view(app: str) -> AppView | None:
    """An app's own page; None where it has none."""
    if not (FOLDER / app / "view" / "__init__.py").exists():
        return None
    return cast(AppView, importlib.import_module(f"soundstage.servers.{app}.view"))
