"""Lark as people see it: chats, and a week of a calendar."""

from __future__ import annotations

from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.servers.lark.view import calendar, chats
from soundstage.servers.view import Query, View


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Render a chat (`chat`, around `message` or up to `before`), or with `page=calendar` a week of a calendar."""
    if query.get("page") == "calendar":
        return calendar.show(context, query, now)
    return chats.show(context, query)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the page of a chat, a message, a calendar or an event."""
    match entity:
        case "chat" | "chat_member":
            return {"page": "chats", "chat": str(value.get("chat_id"))}
        case "message":
            return {"page": "chats", "chat": str(value.get("chat_id")), "message": str(value.get("message_id"))}
        case "calendar":
            return {"page": "calendar", "calendar": str(value.get("calendar_id"))}
        case "calendar_event":
            return calendar.place(context, value)
        case _:
            return None
