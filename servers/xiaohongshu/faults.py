"""Rednote's faults: errors of the site, and drifts caused by other people.

The server drives a browser, so there are no status codes. An error contains the page's toast, or the element that did
not appear, after the name of the action.
"""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.xiaohongshu.rules import notes
from soundstage.kernels.xiaohongshu.rules.errors import failure, panic_error
from soundstage.servers.faults import Hit, any_row, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "the site's own toast: 操作太频繁，请稍后再试",
    "unavailable": "Chromium's net::ERR_CONNECTION_REFUSED, as go-rod reports it",
    "server_error": "recorded reply of the real server (panic of its browser code)",
    "auth_expired": "the site's own toast: 登录已过期，请重新登录",
    "timeout": "recorded reply of the real server (context deadline exceeded)",
}
LOGIN_TOOLS = ("get_login_qrcode",)
_ACTIONS = {
    "check_login_status": "检查登录状态",
    "delete_cookies": "删除 cookies",
    "favorite_feed": "收藏",
    "get_feed_detail": "获取Feed详情",
    "get_login_qrcode": "获取登录扫码图片",
    "get_my_profile": "获取我的主页",
    "get_unread_count": "获取未读数",
    "like_feed": "点赞",
    "like_notification": "点赞",
    "list_feeds": "获取Feeds列表",
    "list_notifications": "获取通知列表",
    "post_comment_to_feed": "发表评论",
    "publish_content": "发布",
    "publish_with_video": "发布",
    "reply_comment_in_feed": "回复评论",
    "reply_notification": "回复",
    "search_feeds": "搜索Feeds",
    "user_profile": "获取用户主页",
}
_WORDS = ("好喜欢！", "求同款链接", "拍得真好看", "已收藏，谢谢分享")


def rate_limit(hit: Hit) -> Answer:
    """Word the site's rate limit."""
    return _failed(hit, "操作太频繁，请稍后再试", "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Word a refused connection."""
    return _failed(hit, "navigation failed: net::ERR_CONNECTION_REFUSED", "unavailable")


def server_error(hit: Hit) -> Answer:
    """Word a panic of the browser code."""
    return worded(hit, panic_error(hit.tool.name, "eval js error: TypeError", "internal"))


def auth_expired(hit: Hit) -> Answer:
    """Word an expired sign-in."""
    return _failed(hit, "登录已过期，请重新登录", "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Word a timeout."""
    return _failed(hit, "context deadline exceeded", "unavailable")


def comment_arrives(context: AppContext, random: Random) -> bool:
    """Add a user's comment to a note."""
    note = any_row(context, "note", random)
    user = any_row(context, "user", random)
    if note is None or user is None:
        return False
    nickname = (user.get("basicInfo") or {}).get("nickname", "")
    author = {"userId": user["userId"], "nickname": nickname, "nickName": nickname, "avatar": ""}
    comment = {"id": notes.new_id(context, "comment"), "noteId": note["noteId"], "content": random.choice(_WORDS)}
    shown = {"likeCount": "0", "liked": False, "subCommentCount": "0", "subComments": [], "showTags": []}
    context.create("comment", {**comment, **shown, "createTime": to_ms(context.now()), "userInfo": author})
    info = note.get("interactInfo") or {}
    counted = {**info, "commentCount": notes.adjust_count(info.get("commentCount"), 1)}
    context.update("note", note["noteId"], {"interactInfo": counted})
    return True


def likes_rise(context: AppContext, random: Random) -> bool:
    """Add a like to a note."""
    note = any_row(context, "note", random)
    if note is None:
        return False
    info = note.get("interactInfo") or {}
    counted = {**info, "likedCount": notes.adjust_count(info.get("likedCount"), 1)}
    if counted == info:
        return False
    context.update("note", note["noteId"], {"interactInfo": counted})
    return True


DRIFTS = {"comment_arrives": comment_arrives, "likes_rise": likes_rise}


def _failed(hit: Hit, reason: str, kind: ErrorKind) -> Answer:
    return worded(hit, failure(_ACTIONS.get(hit.tool.name, hit.tool.name), reason, kind))
