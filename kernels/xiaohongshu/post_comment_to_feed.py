"""The `post_comment_to_feed` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.gotext import trim_space
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import comments, notes
from soundstage.kernels.xiaohongshu.rules.errors import failure, require
from soundstage.kernels.xiaohongshu.rules.session import signed_in

_ACTION = "发表评论"


def run(context: AppContext, arguments: Arguments) -> str:
    """Comment on a note; the reply does not contain the new comment's id."""
    feed_id, xsec_token, content = require(arguments, _ACTION, "feed_id", "xsec_token", "content")
    if notes.find(context, feed_id, xsec_token) is None:
        raise failure(_ACTION, notes.UNREACHABLE, "not_found")
    session = signed_in(context)
    if session is None:
        reason = "未找到评论输入框，该帖子可能不支持评论或网页端不可访问: context deadline exceeded"
        raise failure(_ACTION, reason, "unauthorized")
    if not trim_space(content):
        # The page disables its send button for blank text.
        raise failure(_ACTION, "无法点击提交按钮: context deadline exceeded", "invalid")
    if session.get("restricted"):
        reason = f"评论未确认成功：提交后未在评论区出现（可能账号被限制或发送失败），feed: {feed_id}"
        raise failure(_ACTION, reason, "permission")
    comments.add(context, session, feed_id, content)
    return f"评论发表成功 - Feed ID: {feed_id}"
