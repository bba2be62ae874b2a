"""Read-only pages that show an app's context to people in the app's familiar layout.

An app's page is in `servers/<app>/view/`: a module with `show`, which turns the context into the values of a template in that
folder, `place`, which returns where the page shows an object, and a `style.css`. The gateway adds its frame, opens the page at
the last change, escapes all values, and provides the template with:

* `link(name=value, …)`: the address of the same page with another query. Without arguments it leads to the last change;
* `changed(entity, key, …)`: whether the last call changed that row, for highlighting;
* `anchor(entity, key, …)`: an attribute for the element that shows the row, to which the page scrolls;
* `picture_of(name=value, …)`: the address of a picture that the module's `picture` returns for this query;
* `call_at(step)`: the address of a call's page;
* the filters `day` and `hour`, for times in the zone that the `View` names.

Parts of pages that several apps share are in separate folders: their templates are referenced from `servers/`
(`browser/view/window.html.jinja`), and the apps' style sheets import theirs.

Besides `show` and `place`, a module may define:

* `show_calls` instead of `show`, for an app that stores no requests in its rows; see `CallsView`;
* `picture(context, query)`: a picture's bytes (PNG, JPEG, GIF or WebP), or None;
* `BESIDE`: shared apps that the page also shows, such as `("disk",)`. Changes there then count as changes of the app;
* `LONG = True`, if rendering the page may take longer than other requests can wait.

An app without such a module is shown as its declared tables.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

from typing_extensions import TypeIs

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object

FOLDER = Path(__file__).parent
SHARED = {"disk": "Files"}
"""Shared apps that people may view, with their titles; their pages are at the same addresses as those of apps."""

PARTS = frozenset({"browser", "results"})
"""Parts that the pages of several apps share; a part's style sheet is at the same address as an app's."""

Query = Mapping[str, str]
"""The query parameters of a page's address."""


@dataclass(frozen=True, slots=True)
class View:
    """The content of a page: a template of the app's folder or of a part, its values, and the time zone of displayed times."""

    template: str
    data: Mapping[str, Any]
    zone: tzinfo = UTC


class AppView(Protocol):
    """The module `servers/<app>/view`."""

    def show(self, context: AppContext, query: Query, now: datetime) -> View:
        """Return the page for a query at a time of the session's clock.

        The query normally comes from the template's own links, but may contain anything.
        """

    def place(self, context: AppContext, entity: str, value: Object) -> Query | None:
        """Return the query with which `show` shows an object, which may be deleted; None for entities that it does not show."""


@dataclass(frozen=True, slots=True)
class Call:
    """A journal entry of a call of one of the app's tools.

    `at` is in the session's time, `ok` is true if the app did what the caller requested, and `text` is the text of its reply or
    rejection in MCP.
    """

    step: int
    at: datetime
    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    text: str


class Calls(Protocol):
    """The calls of an app's tools up to the displayed time."""

    def newest(self, limit: int, before: int | None = None) -> list[Call]:
        """Return the latest calls before a step, newest first."""

    def at(self, step: int) -> Call | None:
        """Return the call of a step, or None if it is not a call of the app."""


class CallsView(Protocol):
    """The module `servers/<app>/view` of an app without stored state: its page shows its calls."""

    def show_calls(self, context: AppContext, query: Query, now: datetime, calls: Calls) -> View:
        """Return the page, as `AppView.show` does."""

    def place(self, context: AppContext, entity: str, value: Object) -> Query | None:
        """Return the query for an object, as `AppView.place` does."""


@cache
def load_view(app: str) -> AppView | CallsView | None:
    """Return an app's own view, or None."""
    if not (FOLDER / app / "view" / "__init__.py").exists():
        return None
    return cast(AppView | CallsView, importlib.import_module(f"soundstage.servers.{app}.view"))


def is_of_calls(view: AppView | CallsView) -> TypeIs[CallsView]:
    """Return whether a view shows the app's calls."""
    return hasattr(view, "show_calls")


def beside(app: str) -> tuple[str, ...]:
    """Return the shared apps that the app's page also shows."""
    shown: tuple[str, ...] = getattr(load_view(app), "BESIDE", ())
    return shown


def takes_long(app: str) -> bool:
    """Return whether rendering the app's page may take longer than other requests can wait."""
    return bool(getattr(load_view(app), "LONG", False))


def picture(app: str, context: AppContext, query: Query) -> bytes | None:
    """Return a picture of the app's page, or None."""
    give: Callable[[AppContext, Query], bytes | None] | None = getattr(load_view(app), "picture", None)
    return None if give is None else give(context, query)
