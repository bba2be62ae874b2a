"""The notification page: its three tabs, their visible items, and lookup by comment."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.gotext import quote, trim_space
from soundstage.kernels.xiaohongshu.rules.errors import failure
from soundstage.kernels.xiaohongshu.rules.session import of_server, signed_in

MENTIONS = "mentions"
TABS = (MENTIONS, "likes", "connections")
_DEFAULT_LIMIT = 20


def parse_tab(action: str, text: str) -> str:
    """Return the tab that `text` names, ignoring case; an empty text means mentions.

    Raises:
        RednoteError: The text names none of the three tabs.
    """
    tab = trim_space(text.lower()) or MENTIONS
    if tab not in TABS:
        raise failure(action, f"未知的通知分区 {quote(text)}，可选：mentions / likes / connections", "invalid")
    return tab


def open_page(context: AppContext, action: str, tab: str = MENTIONS) -> Object:
    """Open the notification page at a tab and return the signed-in session.

    Raises:
        RednoteError: The session is signed out, so the page's state lacks the tab.
    """
    session = signed_in(context)
    if session is None:
        raise failure(action, f"页面状态里没有分区 {tab}，可能未登录或页面结构已变化", "unauthorized")
    return session


def visible_items(context: AppContext, tab: str, limit: int) -> tuple[list[Object], int]:
    """Return the first `limit` visible notifications of a tab, and how many were skipped.

    The limit is 20 if `limit` is not above 0; deleted and hidden notifications are skipped.
    """
    limit = limit if limit > 0 else _DEFAULT_LIMIT
    items: list[Object] = []
    hidden = 0
    for notification in _of_session(context, tab):
        if len(items) >= limit:
            break
        if _is_visible(notification):
            items.append(_shown(notification))
        else:
            hidden += 1
    return items, hidden


def of_comment(context: AppContext, action: str, comment_id: str) -> Object:
    """Return the notification of a comment among the mentions.

    Raises:
        RednoteError: There is none, or its comment or note is deleted or hidden.
    """
    for notification in _of_session(context, MENTIONS):
        if (notification.get("commentInfo") or {}).get("id") == comment_id:
            if not _is_visible(notification):
                raise failure(action, f"该评论已删除或不可见，不能回复: {comment_id}", "not_found")
            return notification
    raise failure(action, f"未找到评论 {comment_id}，它可能不在「评论和@」里或已被清理", "not_found")


def unread(context: AppContext) -> Object | None:
    """Return the unread counts of the acting account."""
    if context.account is None:
        others = _servers_of_others(context)
        return next((u for u in context.list("unread") if u["cookie_path"] not in others), None)
    return context.get("unread", (of_server(context) or {}).get("cookie_path", ""))


def require_comment_id(action: str, comment_id: str) -> None:
    """Reject a blank comment id.

    Raises:
        RednoteError: The id is empty or white space.
    """
    if not trim_space(comment_id):
        raise failure(action, "缺少 comment_id", "invalid")


def sender(notification: Object) -> Object:
    """Return who caused a notification; older ones store it as `user`."""
    user = notification.get("userInfo") or {}
    return user if user.get("userid") or user.get("nickname") else notification.get("user") or {}


def _of_session(context: AppContext, tab: str) -> list[Object]:
    """Return a tab's notifications of the acting account; rows without a server belong to the default one."""
    listed = context.list("notification", {"tab": tab})
    if context.account is None:
        others = _servers_of_others(context)
        return [n for n in listed if n.get("cookie_path") not in others]
    path = (of_server(context) or {}).get("cookie_path")
    return [n for n in listed if n.get("cookie_path") == path]


def _servers_of_others(context: AppContext) -> set[str]:
    return {session["cookie_path"] for session in context.list("session", {"account !=": None})}


def _is_visible(notification: Object) -> bool:
    about = (notification.get("commentInfo") or {}, notification.get("itemInfo") or {})
    states = [(a.get("illegalInfo") or {}).get("illegalStatus") for a in about if a.get("id")]
    return all(state in (None, "", "NORMAL") for state in states)


def _shown(notification: Object) -> Object:
    user, comment, item = (
        sender(notification),
        notification.get("commentInfo") or {},
        notification.get("itemInfo") or {},
    )
    source = {"user_id": user.get("userid", ""), "nickname": user.get("nickname", "")}
    # Ids of other things than notes (boards, live rooms) are not feed ids.
    note = item if item.get("type") == "note_info" else {}
    shown = {
        "id": notification["id"],
        "type": notification.get("type", ""),
        "title": notification.get("title", ""),
        "time": notification.get("time", 0),
        "from": {**source, **_filled({"xsec_token": user.get("xsecToken")})},
        **_filled({"comment_id": comment.get("id"), "comment_text": comment.get("content")}),
        "liked": bool(comment.get("liked")),
    }
    feed = {"feed_id": note.get("id"), "feed_xsec_token": note.get("xsecToken"), "feed_title": item.get("content")}
    return {**shown, **_filled(feed)}


def _filled(fields: Object) -> Object:
    """Remove empty fields (Go's omitempty)."""
    return {name: value for name, value in fields.items() if value}
