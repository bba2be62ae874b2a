"""The notification page: its three tabs, what of them is visible, and finding the notification of a comment."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.gotext import quote, trim_space
from soundstage.kernels.xiaohongshu.rules.errors import failed
from soundstage.kernels.xiaohongshu.rules.session import of_server, signed_in

MENTIONS = "mentions"
TABS = (MENTIONS, "likes", "connections")
_DEFAULT_LIMIT = 20


def parse_tab(action: str, text: str) -> str:
    """The tab that `text` names, whatever its case; none named means mentions.

    Raises:
        RednoteError: it names none of the three.
    """
    tab = trim_space(text.lower()) or MENTIONS
    if tab not in TABS:
        raise failed(action, f"未知的通知分区 {quote(text)}，可选：mentions / likes / connections", "invalid")
    return tab


def open_page(context: AppContext, action: str, tab: str = MENTIONS) -> Object:
    """The signed-in session, once the notification page has come up with this tab.

    Raises:
        RednoteError: nobody is signed in, so the page's state has no such tab.
    """
    session = signed_in(context)
    if session is None:
        raise failed(action, f"页面状态里没有分区 {tab}，可能未登录或页面结构已变化", "unauthorized")
    return session


def visible_items(context: AppContext, tab: str, limit: int) -> tuple[list[Object], int]:
    """The first `limit` visible notifications of a tab as the tool lists them (20 if `limit` is not above 0), and how
    many deleted or hidden ones were passed over on the way there.
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
    """The notification of a comment among the mentions.

    Raises:
        RednoteError: there is none, or its comment or note is deleted or hidden.
    """
    for notification in _of_session(context, MENTIONS):
        if (notification.get("commentInfo") or {}).get("id") == comment_id:
            if not _is_visible(notification):
                raise failed(action, f"该评论已删除或不可见，不能回复: {comment_id}", "not_found")
            return notification
    raise failed(action, f"未找到评论 {comment_id}，它可能不在「评论和@」里或已被清理", "not_found")


def unread(context: AppContext) -> Object | None:
    """The unread counts of whoever acts."""
    if context.account is None:
        others = _servers_of_others(context)
        return next((u for u in context.list("unread") if u["cookie_path"] not in others), None)
    return context.get("unread", (of_server(context) or {}).get("cookie_path", ""))


def require_comment_id(action: str, comment_id: str) -> None:
    """Refuse a comment id of nothing but white space.

    Raises:
        RednoteError: it is one.
    """
    if not trim_space(comment_id):
        raise failed(action, "缺少 comment_id", "invalid")


def sender(notification: Object) -> Object:
    """Who caused a notification; older ones carry it as `user`."""
    user = notification.get("userInfo") or {}
    return user if user.get("userid") or user.get("nickname") else notification.get("user") or {}


def _of_session(context: AppContext, tab: str) -> list[Object]:
    """A tab's notifications to whoever acts. One that names no server is the state's own account's."""
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
    # Ids of other things than notes (boards, live rooms) are no feed ids.
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
    """The fields without the empty ones (Go's omitempty)."""
    return {name: value for name, value in fields.items() if value}
