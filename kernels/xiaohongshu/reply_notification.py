"""The `reply_notification` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.gotext import trim_space
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import comments, notifications
from soundstage.kernels.xiaohongshu.rules.comments import CommentInThread
from soundstage.kernels.xiaohongshu.rules.errors import failure

_ACTION = "回复"


def run(context: AppContext, arguments: Arguments) -> Object:
    """Answer a comment from its notification, without opening the note."""
    comment_id, content = arguments["comment_id"], arguments["content"]
    notifications.require_comment_id(_ACTION, comment_id)
    if not trim_space(content):
        raise failure(_ACTION, "回复内容不能为空", "invalid")
    session = notifications.open_page(context, _ACTION)
    notification = notifications.of_comment(context, _ACTION, comment_id)
    if session.get("restricted"):
        raise failure(_ACTION, "回复未确认成功：发送后输入框仍未收起（可能被限制或发送失败）", "permission")
    feed_id = (notification.get("itemInfo") or {}).get("id", "")
    known = comments.find(context, feed_id, comment_id, "")
    comments.add(context, session, feed_id, content, known or CommentInThread(notification["commentInfo"], comment_id))
    answer = {"comment_id": comment_id, "nickname": notifications.sender(notification).get("nickname", "")}
    return {**answer, **({"feed_id": feed_id} if feed_id else {}), "content": content}
