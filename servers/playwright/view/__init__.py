"""The view of Playwright's browser with its recordings and expected responses."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.servers.browser.view import place_in_browser, show_browser
from soundstage.servers.browser.view import screenshot as picture
from soundstage.servers.view import Query, View

__all__ = ["LONG", "picture", "place", "show"]

LONG = True

_MOST_RECORDINGS, _MOST_WAITS, _MOST_ACTIONS = 20, 40, 100


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show the browser (`show_browser`)."""
    recordings = [_recording(row) for row in context.list("codegen_session", limit=_MOST_RECORDINGS)]
    waits = [_wait(row) for row in context.list("response_wait", limit=_MOST_WAITS)]
    return show_browser(context, query, recordings=recordings, waits=waits)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a row; recordings and expected responses are always visible below the window."""
    return {} if entity in ("codegen_session", "response_wait") else place_in_browser(context, entity, value)


def _recording(row: Object) -> dict[str, Any]:
    actions = [action for action in row.get("actions") or [] if isinstance(action, dict)]
    return {
        "id": row["sessionId"],
        "active": bool(row.get("active")),
        "count": len(actions),
        "actions": [(str(a.get("toolName")), a.get("parameters")) for a in actions[:_MOST_ACTIONS]],
    }


def _wait(row: Object) -> dict[str, Any]:
    response = row.get("response") or {}
    fields = {"url": str(response.get("url") or ""), "status": response.get("status")} if response else None
    return {"id": row["id"], "url": str(row.get("url") or ""), "response": fields}
