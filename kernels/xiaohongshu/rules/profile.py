"""A user's profile page with one of its tabs."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.gotext import quote, trim_space
from soundstage.kernels.xiaohongshu.rules import notes
from soundstage.kernels.xiaohongshu.rules.errors import failed
from soundstage.kernels.xiaohongshu.rules.session import is_own, signed_in

_TABS = {
    **dict.fromkeys(("", "note", "notes", "笔记"), "note"),
    **dict.fromkeys(("fav", "favorites", "favorite", "收藏"), "fav"),
    **dict.fromkeys(("liked", "like", "点赞"), "liked"),
}
_MARKS = {"fav": "collected", "liked": "liked"}
_FIRST_LOAD = 30


def parse_tab(action: str, text: str) -> str:
    """The tab that `text` names: note, fav or liked. The server takes more names than its refusal lists.

    Raises:
        RednoteError: it names none.
    """
    tab = _TABS.get(trim_space(text.lower()))
    if tab is None:
        raise failed(action, f"未知的主页 tab {quote(text)}，可选：note / fav / liked", "invalid")
    return tab


def shown(context: AppContext, user: Object, tab: str) -> Object:
    """What the server reads off the page of a user (an object of that entity). An empty tab is null, Go's nil list."""
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
        return []  # what others favourite and like is theirs to show, and here nobody does
    return [n for n in notes.listed(context) if (n.get("interactInfo") or {}).get(_MARKS[tab])]
