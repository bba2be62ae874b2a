"""The `like_notification` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import notes, notifications, viewer
from soundstage.kernels.xiaohongshu.rules.errors import failure

_ACTION = "点赞"  # also used when a like is undone


def run(context: AppContext, arguments: Arguments) -> Object:
    """Like a comment from its notification or undo it; skip it if it is in that state already."""
    comment_id, wanted = arguments["comment_id"], not arguments.get("unlike", False)
    notifications.require_comment_id(_ACTION, comment_id)
    session = notifications.open_page(context, _ACTION)
    notification = notifications.of_comment(context, _ACTION, comment_id)
    skipped = bool(notification["commentInfo"].get("liked")) == wanted
    if not skipped:
        if session.get("restricted"):
            reason = (
                f"点赞未确认成功：15s 内状态未变成 {'true' if wanted else 'false'}。点赞可能已生效但同步慢，"
                "请先用 list_notifications 读一次当前状态再决定是否重试"
            )
            raise failure(_ACTION, reason, "permission")
        liked = {**notification["commentInfo"], "liked": wanted}
        context.update("notification", notification["id"], {"commentInfo": liked})
        if comment := context.get("comment", comment_id):
            count = notes.adjust_count(comment.get("likeCount"), 1 if wanted else -1)
            viewer.mark_comment(context, comment_id, wanted, {"likeCount": count})
    nickname = notifications.sender(notification).get("nickname", "")
    return {"comment_id": comment_id, "nickname": nickname, "liked": wanted, "skipped": skipped}
