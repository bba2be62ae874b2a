"""How an app is shown to people: read-only, from its context, as they know it.

An app that has a page of its own keeps it in `servers/<app>/view/`: a module whose `show` turns the context into what a
template of that folder is filled with, whose `place` says where on it an object stands, and a `style.css`. The gateway puts its
own frame around, opens the page where the last change was, escapes everything, and gives the template besides:

* `link(name=value, …)`: the address of the same page with another query. Without any it leads to the last change;
* `changed(entity, key, …)`: whether the last call changed that row, for a mark;
* `anchor(entity, key, …)`: an attribute for the element that shows the row, by which the page opens there;
* the filters `day` and `hour`, for moments in the zone that the `View` names.

An app without one is shown from its declared tables.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object

FOLDER = Path(__file__).parent
SHARED = {"disk": "Files"}
"""What apps share and people may look at, with its title; its page lies where an app's does."""

Query = Mapping[str, str]
"""What stands behind the `?` of a page's address."""


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows: a template of the app's folder, what it is filled with, and the zone of its times."""

    template: str
    data: Mapping[str, Any]
    zone: tzinfo = UTC


class AppView(Protocol):
    """`servers/<app>/view` as a module."""

    def show(self, context: AppContext, query: Query, now: datetime) -> View:
        """The page for a query, at a moment of the session's clock.

        The query's members come from the template's own links, and may be anything all the same.
        """

    def place(self, context: AppContext, entity: str, value: Object) -> Query | None:
        """The query under which `show` shows an object, which may be gone; None where it shows none of its kind."""


@cache
def load_view(app: str) -> AppView | None:
    """An app's own page; None where it has none."""
    if not (FOLDER / app / "view" / "__init__.py").exists():
        return None
    return cast(AppView, importlib.import_module(f"soundstage.servers.{app}.view"))
