"""A note's comments: the loaded ones, replies, and new comments.

The page loads ten top-level comments at a time and shows one reply below each; the others are hidden behind 展开 N 条回复.
"""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.xiaohongshu.rules import notes, viewer
from soundstage.kernels.xiaohongshu.rules.session import as_author, basic_info, is_own

_PAGE = 10
_REPLIES_SHOWN = 1


@dataclass(frozen=True, slots=True)
class Loading:
    """How far the page is scrolled: until at least `at_least` comments are loaded.

    Replies are expanded if at most `expand_up_to` are hidden (None: never).
    """

    at_least: int = _PAGE
    expand_up_to: int | None = None


@dataclass(frozen=True, slots=True)
class CommentInThread:
    """A comment and its top-level comment, which may be itself."""

    comment: Object
    root_id: str


def load_comments(context: AppContext, note_id: str, loading: Loading) -> Object:
    """Return the comments of the page after loading; whole pages are loaded, so there may be extra ones."""
    total = context.count("comment", _top_level(note_id))
    pages = -(-min(loading.at_least, total) // _PAGE)
    tops = context.list("comment", _top_level(note_id), limit=max(pages, 1) * _PAGE)
    shown = [_shown(context, top, _visible(_replies(context, top), loading)) for top in tops]
    return {"list": shown, "cursor": tops[-1]["id"] if tops else "", "hasMore": len(tops) < total}


def find(context: AppContext, note_id: str, comment_id: str, user_id: str) -> CommentInThread | None:
    """Return the comment to answer: by id, else the user's first.

    The comments that the page shows at once are searched before the rest is loaded, so a visible comment of the user
    takes precedence over the named one if that is still hidden.
    """
    everything = Loading(context.count("comment", _top_level(note_id)), expand_up_to=2**31)
    for loading in (Loading(), everything):
        placed = [
            CommentInThread(comment, top["id"])
            for top in load_comments(context, note_id, loading)["list"]
            for comment in (top, *top["subComments"])
        ]
        by_id = next((p for p in placed if comment_id and p.comment["id"] == comment_id), None)
        by_user = next((p for p in placed if user_id and p.comment["userInfo"]["userId"] == user_id), None)
        if match := by_id or by_user:
            return match
    return None


def add(context: AppContext, session: Object, note_id: str, content: str, below: CommentInThread | None = None) -> None:
    """Add the account's comment to a note, or its reply below another comment, and update the count."""
    note = context.get("note", note_id)
    comment: Object = {
        "id": notes.new_id(context, "comment"),
        "noteId": note_id,
        "content": content,
        "likeCount": "0",
        "createTime": to_ms(context.now()),
        "ipLocation": basic_info(context, session).get("ipLocation", ""),
        "liked": False,
        "userInfo": as_author(context, session),
        "subCommentCount": "0",
        "subComments": [],
        "showTags": ["is_author"] if note and is_own(session, note.get("user")) else [],
    }
    if below is not None:
        comment |= {"rootCommentId": below.root_id, "targetCommentId": below.comment["id"]}
    context.create("comment", comment)
    if note is not None:
        info = note.get("interactInfo") or {}
        changed = {**info, "commentCount": notes.adjust_count(info.get("commentCount"), 1)}
        context.update("note", note_id, {"interactInfo": changed})
    if below is not None and (root := context.get("comment", below.root_id)) is not None:
        count = notes.adjust_count(root.get("subCommentCount"), 1)
        context.update("comment", below.root_id, {"subCommentCount": count})


def _top_level(note_id: str) -> dict[str, str | None]:
    return {"noteId": note_id, "rootCommentId": None}


def _replies(context: AppContext, top: Object) -> list[Object]:
    inside = list(top.get("subComments") or ())
    return inside + context.list("comment", {"noteId": top["noteId"], "rootCommentId": top["id"]})


def _visible(replies: list[Object], loading: Loading) -> list[Object]:
    hidden = len(replies) - _REPLIES_SHOWN
    expands = loading.expand_up_to is not None and hidden <= loading.expand_up_to
    return replies if expands else replies[:_REPLIES_SHOWN]


def _shown(context: AppContext, comment: Object, replies: list[Object]) -> Object:
    return {
        "id": comment.get("id", ""),
        "noteId": comment.get("noteId", ""),
        "content": comment.get("content", ""),
        "likeCount": comment.get("likeCount", ""),
        "createTime": comment.get("createTime", 0),
        "ipLocation": comment.get("ipLocation", ""),
        "liked": viewer.likes_comment(context, comment),
        "userInfo": notes.author(comment.get("userInfo")),
        "subCommentCount": comment.get("subCommentCount", ""),
        "subComments": [_shown(context, reply, []) for reply in replies],
        "showTags": comment.get("showTags"),
    }
