"""A browser's window: its tabs, the open tab's page as the agent's browser sees it, its field values and console messages.

The page is painted from the texts and boxes of the browser's layout, like its screenshots. None of the page's HTML is embedded,
no script runs outside of the browser engine, and nothing is loaded.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import from_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.browser.history import BLANK
from soundstage.servers.browser.view.sight import Unseen, seen
from soundstage.servers.view import Query, View

WINDOW = "browser/view/window.html.jinja"

_MOST_TABS, _MOST_VISITED, _MOST_SAID, _MOST_PICTURES = 30, 60, 200, 40


def show_browser(context: AppContext, query: Query, **more: Any) -> View:
    """Show the browser.

    The query's `tab` is the id of the open tab, `screenshot` the name of the displayed picture; the defaults are the current
    tab and the latest screenshot. `more` are additional values for the app's template.
    """
    browser = context.first("browser")
    tabs = context.list("tab", limit=_MOST_TABS)
    current = None if browser is None else browser.get("current_tab")
    record = context.get("tab", query.get("tab", ""))
    tab = record or (context.get("tab", str(current)) if current is not None else None) or (tabs[-1] if tabs else None)
    pictures = context.list("screenshot", order="-at", limit=_MOST_PICTURES)
    picture = context.get("screenshot", query.get("screenshot", "")) or (pictures[0] if pictures else None)
    sight, unseen = _sight(tab)
    data: dict[str, Any] = {
        "browser": browser,
        "viewport": None if browser is None else _size(browser.get("viewport")),
        "tabs": [_listed(t, sight.title if sight and tab and t["id"] == tab["id"] else None) for t in tabs],
        "tab": tab,
        "address": _address(browser, tab),
        "visited": [] if tab is None else _visited(tab),
        "sight": sight,
        "unseen": unseen,
        "said": [_message(row) for row in reversed(context.list("console", order="-at", limit=_MOST_SAID))],
        "unheard": max(context.count("console") - _MOST_SAID, 0),
        "pictures": [{"name": p["name"], "at": _moment(p.get("at"))} for p in pictures],
        "picture": picture and {"name": picture["name"], "at": _moment(picture.get("at"))},
    }
    return View("browser.html.jinja" if more else WINDOW, data | more)


def place_in_browser(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a tab or screenshot; the browser and its console are always visible."""
    match entity:
        case "tab":
            return {"tab": str(value.get("id"))}
        case "screenshot":
            return {"screenshot": str(value.get("name"))}
        case "browser" | "console":
            return {}
    return None


def screenshot(context: AppContext, query: Query) -> bytes | None:
    """Return a stored screenshot by name, or None."""
    row = context.get("screenshot", query.get("name", ""))
    try:
        return None if row is None else base64.b64decode(str(row.get("data") or ""), validate=True)
    except (binascii.Error, ValueError):
        return None


def _sight(tab: Object | None) -> tuple[Any, str | None]:
    """Return the visible content of a tab, or None and the reason."""
    if tab is None or not tab.get("log"):
        return None, None
    try:
        return seen(tab["log"]), None
    except Unseen as why:
        return None, str(why)


def _address(browser: Object | None, tab: Object | None) -> str:
    return str((tab or {}).get("url") or (browser or {}).get("current_url") or BLANK)


def _listed(tab: Object, title: str | None) -> dict[str, Any]:
    return {"id": tab["id"], "name": title or str(tab.get("url") or BLANK), "url": str(tab.get("url") or BLANK)}


def _visited(tab: Object) -> list[dict[str, Any]]:
    """Return the history of a tab, newest first."""
    entries = [entry for entry in tab.get("history") or [] if isinstance(entry, dict)]
    here = tab.get("position")
    lines = [{"url": str(entry.get("url") or BLANK), "here": i == here} for i, entry in enumerate(entries)]
    return lines[::-1][:_MOST_VISITED]


def _message(row: Object) -> dict[str, Any]:
    kind = str(row.get("type") or "log")
    return {
        "id": row["id"],
        "kind": kind,
        "bad": kind in ("error", "exception"),
        "text": str(row.get("text") or ""),
        "at": _moment(row.get("at")),
    }


def _moment(ms: object) -> datetime | None:
    try:
        return from_ms(ms) if isinstance(ms, int) else None
    except (ValueError, OverflowError, OSError):
        return None


def _size(viewport: object) -> str | None:
    if not isinstance(viewport, Mapping):
        return None
    return f"{viewport.get('width')} × {viewport.get('height')}"
