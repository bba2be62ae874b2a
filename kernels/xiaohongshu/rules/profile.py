"""A user's profile page with one of its tabs."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.gotext import quote, trim_space
from soundstage.kernels.xiaohongshu.rules import notes
from soundstage.kernels.xiaohongshu.rules.errors import failure
from soundstage.kernels.xiaohongshu.rules.session import is_own, signed_in

_TABS = {
    **dict.fromkeys(("", "note", "notes", "笔记"), "note"),
    **dict.fromkeys(("fav", "favorites", "favorite", "收藏"), "fav"),
    **dict.fromkeys(("liked", "like", "点赞"), "liked"),
}
_MARKS = {"fav": "collected", "liked": "liked"}
_FIRST_LOAD = 30


def parse_tab(action: str, text: str) -> str:
    """Return the tab that `text` names: note, fav or liked.

    The server accepts more names than its error lists.

    Raises:
        RednoteError: The text does not name a tab.
    """
    tab = _TABS.get(trim_space(text.lower()))
    if tab is None:
        raise failure(action, f"未知的主页 tab {quote(text)}，可选：note / fav / liked", "invalid")
    return tab


def to_reply(context: AppContext, user: Object, tab: str) -> Object:
    """Return what the server reads from a user's page; an empty tab is null, Go's nil list."""
    info = user.get("basicInfo") or {}
    basic: Object = {"gender": info.get("gender", 0)}
    basic |= {f: info.get(f, "") for f in ("ipLocation", "desc", "imageb", "nickname", "images", "redId")}
    interactions = user.get("interactions")
    if interactions is not None:
        interactions = [{f: i.get(f, "") for f in ("type", "name", "count")} for i in interactions]
    feeds = notes.cards(_feeds(context, user, tab)[:_FIRST_LOAD]) or None
    return {"userBasicInfo": basic, "interactions": interactions, "feeds": feeds}


def _feeds(context: AppContext, user: Object, tab: str) -> list[Object]:
    if tab == "note":
        return notes.of_author(context, user["userId"])
    if not is_own(signed_in(context), user):
        return []  # only the owner can see favourites and likes unless they are shared, which is never the case here
    return [n for n in notes.list_public(context) if (n.get("interactInfo") or {}).get(_MARKS[tab])]
