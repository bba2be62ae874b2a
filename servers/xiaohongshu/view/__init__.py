"""Rednote as people see it: the feed as cards, and one note with its comments."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import END_MS, from_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.xiaohongshu.rules.session import of_server
from soundstage.servers.view import Query, View

_ZONE = ZoneInfo("Asia/Shanghai")  # the site's time zone
_PER_PAGE = 40
_MOST_COMMENTS = 100


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Render an open `note`, or a page of the feed from `offset`."""
    note = context.get("note", query.get("note", "")) if query.get("note") else None
    if note is not None:
        return View("note.html.jinja", {"note": note, "card": _card(note), "comments": _comments(context, note)}, _ZONE)
    offset = int(query["offset"]) if query.get("offset", "").isdigit() and len(query["offset"]) < 9 else 0
    notes = context.list("note", order="-time", limit=_PER_PAGE, offset=offset)
    data: dict[str, Any] = {
        "cards": [_card(n) for n in notes],
        "total": context.count("note"),
        "offset": offset,
        "per_page": _PER_PAGE,
        "account": of_server(context),
    }
    return View("feed.html.jinja", data, _ZONE)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the note of a note, comment or mark."""
    match entity:
        case "note" | "comment":
            return {"note": str(value.get("noteId"))}
        case "mark":
            comment = context.get("comment", str(value.get("target")))
            return {"note": str(value.get("target") if comment is None else comment.get("noteId"))}
        case _:
            return None


def _card(note: Object) -> dict[str, Any]:
    """Return what a card shows of a note."""
    counts = _dict(note.get("interactInfo"))
    author = _dict(note.get("user"))
    return {
        "id": note["noteId"],
        "title": note.get("title") or str(note.get("desc") or "")[:40] or "(no title)",
        "text": str(note.get("desc") or "").replace("[话题]#", ""),
        "author": author.get("nickname") or author.get("nickName") or author.get("userId") or "somebody",
        "liked": bool(counts.get("liked")),
        "collected": bool(counts.get("collected")),
        "likes": counts.get("likedCount") or "0",
        "collects": counts.get("collectedCount") or "0",
        "comments": counts.get("commentCount") or "0",
        "pictures": len(note.get("imageList") or note.get("uploads") or []),
        "video": note.get("type") == "video",
        "place": note.get("ipLocation") or "",
        "at": _moment(note.get("time")),
        "tags": [t.get("name") for t in note.get("tagList") or [] if isinstance(t, dict) and t.get("name")],
    }


def _comments(context: AppContext, note: Object) -> list[dict[str, Any]]:
    rows = context.list("comment", {"noteId": note["noteId"]}, limit=_MOST_COMMENTS)
    tops = [c for c in rows if not c.get("rootCommentId")]
    return [
        {
            **_comment(top),
            "replies": [
                _comment(reply)
                for reply in (
                    *(top.get("subComments") or []),
                    *(c for c in rows if c.get("rootCommentId") == top["id"]),
                )
                if isinstance(reply, dict)
            ],
        }
        for top in tops
    ]


def _comment(comment: Object) -> dict[str, Any]:
    author = _dict(comment.get("userInfo"))
    return {
        "id": comment.get("id"),
        "author": author.get("nickname") or author.get("nickName") or "somebody",
        "text": str(comment.get("content") or ""),
        "likes": comment.get("likeCount") or "0",
        "at": _moment(comment.get("createTime")),
        "place": comment.get("ipLocation") or "",
        "by_author": "is_author" in (comment.get("showTags") or []),
    }


def _dict(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def _moment(value: object) -> datetime | None:
    return from_ms(value).astimezone(_ZONE) if isinstance(value, int) and 0 <= value < END_MS else None
