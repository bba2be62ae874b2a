"""The `reply_comment_in_feed` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.gotext import trim_space
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import comments, notes
from soundstage.kernels.xiaohongshu.rules.errors import RednoteError, failure, require
from soundstage.kernels.xiaohongshu.rules.session import signed_in

_ACTION = "回复评论"


def run(context: AppContext, arguments: Arguments) -> str:
    """Answer a comment below a note, found by its id or else by its author."""
    comment_id, user_id = arguments.get("comment_id", ""), arguments.get("user_id", "")
    if not comment_id and not user_id:
        raise RednoteError("invalid", "缺少 comment_id 或 user_id")
    feed_id, xsec_token, content = require(arguments, _ACTION, "feed_id", "xsec_token", "content")
    if notes.find(context, feed_id, xsec_token) is None:
        raise failure(_ACTION, notes.UNREACHABLE, "not_found")
    below = comments.find(context, feed_id, comment_id, user_id)
    if below is None:
        reason = f"无法找到评论: 未找到评论 (commentID: {comment_id}, userID: {user_id})"
        raise failure(_ACTION, reason, "not_found")
    session = signed_in(context)
    if session is None:
        raise failure(_ACTION, "无法找到回复输入框: context deadline exceeded", "unauthorized")
    if not trim_space(content):
        # The page disables its send button for blank text.
        raise failure(_ACTION, "点击提交按钮失败: context deadline exceeded", "invalid")
    if session.get("restricted"):
        raise failure(_ACTION, "回复未确认成功：提交后未在评论区出现（可能账号被限制或发送失败）", "permission")
    comments.add(context, session, feed_id, content, below)
    return f"评论回复成功 - Feed ID: {feed_id}, Comment ID: {comment_id}, User ID: {user_id}"
