"""Lark as people see it: chats, and a week of a calendar."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.servers.lark.view import calendar, chats
from soundstage.servers.view import View


def show(context: AppContext, query: Mapping[str, str], now: datetime) -> View:
    """`page` is chats (with `chat` and `before`) or calendar (with `calendar` and `week`)."""
    if query.get("page") == "calendar":
        return calendar.show(context, query, now)
    return chats.show(context, query)
