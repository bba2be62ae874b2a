"""Rednote as people see it: the feed as cards, and one note with its comments."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import from_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.xiaohongshu.rules.session import of_server
from soundstage.servers.view import View

_PER_PAGE = 40
_MOST_COMMENTS = 100


def show(context: AppContext, query: Mapping[str, str], now: datetime) -> View:
    """`note` is an open note; `offset` pages the feed."""
    note = context.get("note", query.get("note", "")) if query.get("note") else None
    if note is not None:
        return View("note.html.jinja", {"note": note, "card": _card(note), "comments": _comments(context, note)})
    offset = int(query["offset"]) if query.get("offset", "").isdigit() and len(query["offset"]) < 9 else 0
    notes = context.list("note", order="-time", limit=_PER_PAGE, offset=offset)
    data: dict[str, Any] = {
        "cards": [_card(n) for n in notes],
        "total": context.count("note"),
        "offset": offset,
        "per_page": _PER_PAGE,
        "account": of_server(context),
    }
    return View("feed.html.jinja", data)


def _card(note: Object) -> dict[str, Any]:
    """What a card shows of a note."""
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
        "time": _day(note.get("time")),
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
        "time": _day(comment.get("createTime")),
        "place": comment.get("ipLocation") or "",
        "by_author": "is_author" in (comment.get("showTags") or []),
    }


def _dict(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def _day(value: object) -> str:
    if not isinstance(value, int) or not 0 <= value < 253402300800000:
        return ""
    return from_ms(value).strftime("%Y-%m-%d")
