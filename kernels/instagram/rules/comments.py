"""Comments: the edges that list them, validation, and creation."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.account import authorize, me
from soundstage.kernels.instagram.rules.errors import GraphError, missing_parameter, unsupported
from soundstage.kernels.instagram.rules.fields import Field
from soundstage.kernels.instagram.rules.times import format_time

SHORT = [Field("timestamp"), Field("text"), Field("id")]
"""The default fields of a comment."""

_MOST_CHARACTERS = 300
_MOST_HASHTAGS = 4
_HASHTAG = re.compile(r"#\w+")
_LINK = re.compile(r"https?://\S+", re.IGNORECASE)


def below(context: AppContext, media_id: str) -> list[Object]:
    """Return the top-level comments on a post, oldest first."""
    return _in_order(context.list("comment", {"media_id": media_id, "parent_id": None}))


def answers_to(context: AppContext, comment_id: str) -> list[Object]:
    """Return the replies to a comment, oldest first."""
    return _in_order(context.list("comment", {"parent_id": comment_id}))


def write_below(context: AppContext, media_id: str, message: str) -> Object:
    """Comment on a post and return the new comment's id.

    Raises:
        GraphError: The token is invalid, the post does not exist, or Instagram rejects the message.
    """
    authorize(context)
    media = context.get("media", media_id)
    if media is None:
        raise unsupported("post", media_id or "comments")
    return _write(context, media_id, message, None)


def write_answer(context: AppContext, comment_id: str, message: str) -> Object:
    """Reply to a comment; a reply to a reply is added below the same comment.

    Raises:
        GraphError: The token is invalid, the comment does not exist, or Instagram rejects the message.
    """
    authorize(context)
    comment = context.get("comment", comment_id)
    if comment is None:
        raise unsupported("post", comment_id or "replies")
    return _write(context, comment.get("media_id"), message, comment.get("parent_id") or comment_id)


def remove(context: AppContext, comment: Object) -> None:
    """Delete a comment and the replies to it."""
    answers = answers_to(context, comment["id"])
    for gone in (*answers, comment):
        context.delete("comment", gone["id"])
    _count(context, comment.get("media_id"), -1 - len(answers))


def is_own(context: AppContext, comment: Object) -> bool:
    """Return whether the acting account wrote a comment."""
    return (comment.get("from") or {}).get("id") == me(context)


def _write(context: AppContext, media_id: str | None, message: str, parent_id: str | None) -> Object:
    _check(message)
    user = context.get("ig_user", me(context)) or {"id": me(context)}
    author = {name: user[name] for name in ("id", "username") if name in user}
    comment: Object = {
        "text": message,
        "timestamp": format_time(context.now()),
        "like_count": 0,
        "hidden": False,
        "from": author,
    }
    if "username" in author:
        comment["username"] = author["username"]
    if media_id is not None:
        comment.update(media_id=media_id, media={"id": media_id})
    if parent_id is not None:
        comment["parent_id"] = parent_id
    made = context.create("comment", comment)
    _count(context, media_id, 1)
    return {"id": made["id"]}


def _check(message: str) -> None:
    """Reject a message that Instagram does not accept as a comment.

    Source: https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/comments (the limits; the
    texts are ours, because those of the API are not documented)
    """
    if not message:
        raise missing_parameter("message")
    if len(message) > _MOST_CHARACTERS:
        raise GraphError("limit", "(#100) The total length of the comment cannot exceed 300 characters")
    if len(_HASHTAG.findall(message)) > _MOST_HASHTAGS:
        raise GraphError("limit", "(#100) The comment cannot contain more than 4 hashtags")
    if len(_LINK.findall(message)) > 1:
        raise GraphError("limit", "(#100) The comment cannot contain more than 1 URL")


def _count(context: AppContext, media_id: str | None, by: int) -> None:
    media = context.get("media", media_id) if media_id is not None else None
    if media is not None:
        context.update("media", media["id"], {"comments_count": max((media.get("comments_count") or 0) + by, 0)})


def _in_order(rows: list[Object]) -> list[Object]:
    return sorted(rows, key=lambda row: str(row.get("timestamp") or ""))
