"""The `list_notifications` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import notifications

_ACTION = "获取通知列表"


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the notifications of a tab and mark the tab as read."""
    tab = notifications.parse_tab(_ACTION, arguments.get("tab", ""))
    notifications.open_page(context, _ACTION, tab)
    items, hidden = notifications.visible_items(context, tab, arguments.get("limit", 0))
    _mark_read(context, tab)
    return {"tab": tab, "filtered": hidden, "items": items}


def _mark_read(context: AppContext, tab: str) -> None:
    unread = notifications.unread(context) or {}
    if read := unread.get(tab, 0):
        total = max(0, unread.get("unreadCount", 0) - read)
        context.update("unread", unread["cookie_path"], {tab: 0, "unreadCount": total})
