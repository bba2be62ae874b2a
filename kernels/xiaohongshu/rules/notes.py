"""Notes: lookup by id and token, and their representation in lists and on the note's page.

The server decodes page state into Go structs and prints those, so every field is present and absent ones are zero.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms, to_s
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.xiaohongshu.rules import viewer
from soundstage.kernels.xiaohongshu.rules.session import is_own, signed_in

PUBLIC = "公开可见"
UNREACHABLE = "笔记不可访问: 当前笔记暂时无法浏览"
# The list pages of recorded replies show this length for a video without a length in the state.
_VIDEO_SECONDS = 30


def find(context: AppContext, feed_id: str, xsec_token: str) -> Object | None:
    """Return the note whose page opens with this pair; a wrong token looks like an unknown note."""
    note = context.get("note", feed_id)
    if note is None or note.get("xsecToken") != xsec_token:
        return None
    return viewer.note_with_marks(context, note) if _readable(context, note, signed_in(context)) else None


def list_public(context: AppContext) -> list[Object]:
    """Return the notes that the home page and the search may show, in order of creation."""
    return viewer.with_marks(context, [n for n in context.list("note") if _published(context, n) and _is_public(n)])


def of_author(context: AppContext, user_id: str) -> list[Object]:
    """Return the notes on a user's profile page, newest first, including non-public ones on the account's own."""
    session = signed_in(context)
    notes = [n for n in context.list("note") if (n.get("user") or {}).get("userId") == user_id]
    readable = [n for n in notes if _readable(context, n, session)]
    return sorted(viewer.with_marks(context, readable), key=lambda n: -n.get("time", 0))


def cards(notes: list[Object]) -> list[Object]:
    """Return a page's list as the server does.

    Live rooms and suggested queries are not notes and are omitted, but count in `index`.
    """
    return [card(note, index) for index, note in enumerate(notes) if note.get("modelType", "note") == "note"]


def card(note: Object, index: int) -> Object:
    """Return a note as lists show it."""
    shown: Object = {
        "type": note.get("type", ""),
        "displayTitle": note.get("title", ""),
        "user": author(note.get("user")),
        "interactInfo": _interactions(note),
        "cover": _cover(next(iter(note.get("imageList") or ()), None)),
    }
    if note.get("type") == "video":
        capability = (note.get("video") or {}).get("capa") or {}
        shown["video"] = {"capa": {"duration": capability.get("duration", _VIDEO_SECONDS)}}
    token, note_id = note.get("xsecToken", ""), note["noteId"]
    return {"xsecToken": token, "id": note_id, "modelType": "note", "noteCard": shown, "index": index}


def detail(note: Object) -> Object:
    """Return a note as its own page shows it."""
    shown: Object = {
        "noteId": note["noteId"],
        "xsecToken": note.get("xsecToken", ""),
        "title": note.get("title", ""),
        "desc": note.get("desc", ""),
        "type": note.get("type", ""),
        "time": note.get("time", 0),
        "ipLocation": note.get("ipLocation", ""),
        "user": author(note.get("user")),
        "interactInfo": _interactions(note),
        "imageList": [_picture(image) for image in note["imageList"]] if note.get("imageList") is not None else None,
    }
    if note.get("video"):
        shown["video"] = note["video"]
    return shown


def author(user: Object | None) -> Object:
    """Return the author of a note or comment."""
    return {name: (user or {}).get(name, "") for name in ("userId", "nickname", "nickName", "avatar")}


def adjust_count(text: str | None, change: int) -> str:
    """Return a count after a change; rounded ones such as 1.2万 stay unchanged."""
    text = text or "0"
    return str(max(0, int(text) + change)) if text.isdecimal() else text


def new_id(context: AppContext, entity: str) -> str:
    """Return an id of a note or comment, which begins with the time of creation."""
    return context.new_id(entity, f"{to_s(context.now()):08x}00000000{{hex:8}}")


def _readable(context: AppContext, note: Object, session: Object | None) -> bool:
    return _published(context, note) and (_is_public(note) or is_own(session, note.get("user")))


def _is_public(note: Object) -> bool:
    return bool(note.get("visibility", PUBLIC) == PUBLIC)


def _published(context: AppContext, note: Object) -> bool:
    return bool(note.get("scheduledTime", 0) <= to_ms(context.now()))


def _interactions(note: Object) -> Object:
    info = note.get("interactInfo") or {}
    return {
        "liked": info.get("liked", False),
        "likedCount": info.get("likedCount", ""),
        "sharedCount": info.get("sharedCount", ""),
        "commentCount": info.get("commentCount", ""),
        "collectedCount": info.get("collectedCount", ""),
        "collected": info.get("collected", False),
    }


def _picture(image: Object) -> Object:
    shown = {
        "width": image.get("width", 0),
        "height": image.get("height", 0),
        "urlDefault": image.get("urlDefault", ""),
        "urlPre": image.get("urlPre", ""),
    }
    return {**shown, "livePhoto": True} if image.get("livePhoto") else shown


def _cover(image: Object | None) -> Object:
    shown = _picture(image or {})
    preview, default = shown["urlPre"], shown["urlDefault"]
    scenes = [{"imageScene": "WB_PRV", "url": preview}, {"imageScene": "WB_DFT", "url": default}]
    return {
        "width": shown["width"],
        "height": shown["height"],
        "url": "",
        "fileId": "",
        "urlPre": preview,
        "urlDefault": default,
        "infoList": scenes if image else None,
    }
