"""The `get_unread_count` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import notifications
from soundstage.kernels.xiaohongshu.rules.errors import failure
from soundstage.kernels.xiaohongshu.rules.session import signed_in


def run(context: AppContext, arguments: Arguments) -> Object:
    """Count the unread notifications of each tab without marking them as read."""
    if signed_in(context) is None:
        raise failure("获取未读数", "页面状态里没有未读数，可能未登录或页面结构已变化", "unauthorized")
    unread = notifications.unread(context) or {}
    counts = {tab: unread.get(tab, 0) for tab in ("mentions", "likes", "connections")}
    return {**counts, "unread": unread.get("unreadCount", 0)}
