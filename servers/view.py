"""How an app is shown to people: read-only, from its context, as they know it.

An app that has a page of its own keeps it in `servers/<app>/view/`: a module whose `show` turns the context into what a
template of that folder is filled with, whose `place` says where on it an object stands, and a `style.css`. The gateway puts its
own frame around, opens the page where the last change was, escapes everything, and gives the template besides:

* `link(name=value, …)`: the address of the same page with another query. Without any it leads to the last change;
* `changed(entity, key, …)`: whether the last call changed that row, for a mark;
* `anchor(entity, key, …)`: an attribute for the element that shows the row, by which the page opens there;
* `picture_of(name=value, …)`: the address of a picture that the module's `picture` gives for this query;
* `call_at(step)`: the address of a call's page;
* the filters `day` and `hour`, for moments in the zone that the `View` names.

What the pages of several apps are made of lies in a folder of its own, a part: its template is named from `servers/` on
(`browser/view/window.html.jinja`), and its style sheet is imported by theirs.

A module may have, besides `show` and `place`:

* `show_calls` in place of `show`, for an app whose rows keep nothing of what it was asked; see `CallsView`;
* `picture(context, query)`: a picture's bytes, PNG, JPEG, GIF or WebP; None where there is none;
* `BESIDE`: what apps share and the page shows too, such as `("disk",)`. What anybody changes there is the app's change as well;
* `LONG = True`, where making the page may take longer than others can wait for.

An app without one is shown from its declared tables.
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
"""What apps share and people may look at, with its title; its page lies where an app's does."""

PARTS = frozenset({"browser", "results"})
"""What the pages of several apps are made of; a part's style sheet lies where an app's does."""

Query = Mapping[str, str]
"""What stands behind the `?` of a page's address."""


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows: a template of the app's folder or of a part, what it is filled with, and the zone of its times."""

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


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of the app's tools, as the journal has it. `at` is of the session's clock; `ok` says whether the app did what
    was asked; `text` is the text of what it answered, or of its refusal, as MCP carried it.
    """

    step: int
    at: datetime
    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    text: str


class Calls(Protocol):
    """The calls of an app's tools up to the moment that is shown."""

    def newest(self, limit: int, before: int | None = None) -> list[Call]:
        """The newest ones, the newest first; of those before a step."""

    def at(self, step: int) -> Call | None:
        """The one of a step; None where it is no call of the app."""


class CallsView(Protocol):
    """`servers/<app>/view` of an app that keeps nothing: its page is made of its calls."""

    def show_calls(self, context: AppContext, query: Query, now: datetime, calls: Calls) -> View:
        """As `AppView.show`."""

    def place(self, context: AppContext, entity: str, value: Object) -> Query | None:
        """As `AppView.place`."""


@cache
def load_view(app: str) -> AppView | CallsView | None:
    """An app's own page; None where it has none."""
    if not (FOLDER / app / "view" / "__init__.py").exists():
        return None
    return cast(AppView | CallsView, importlib.import_module(f"soundstage.servers.{app}.view"))


def is_of_calls(view: AppView | CallsView) -> TypeIs[CallsView]:
    """Whether a page is made of the app's calls."""
    return hasattr(view, "show_calls")


def beside(app: str) -> tuple[str, ...]:
    """What apps share and the app's page shows too."""
    shown: tuple[str, ...] = getattr(load_view(app), "BESIDE", ())
    return shown


def takes_long(app: str) -> bool:
    """Whether making the app's page may take longer than others can wait for."""
    return bool(getattr(load_view(app), "LONG", False))


def picture(app: str, context: AppContext, query: Query) -> bytes | None:
    """A picture of the app's page; None where there is none."""
    give: Callable[[AppContext, Query], bytes | None] | None = getattr(load_view(app), "picture", None)
    return None if give is None else give(context, query)
