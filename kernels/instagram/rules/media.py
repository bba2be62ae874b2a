"""The edges of an account that list posts: feed, stories, live broadcasts and tagged posts."""

from __future__ import annotations

from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules import insights
from soundstage.kernels.instagram.rules.account import me
from soundstage.kernels.instagram.rules.errors import no_permission, unsupported
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.nodes import MEDIA, USER, find, project_all
from soundstage.kernels.instagram.rules.pages import page
from soundstage.kernels.instagram.rules.replies import Envelope, page_envelope
from soundstage.kernels.instagram.rules.times import newest_first, older_than
from soundstage.kernels.types import Arguments


def feed(context: AppContext, user_id: str) -> list[Object]:
    """Return an account's posts and reels, without stories and broadcasts."""
    return [post for post in _posts(context, user_id) if post.get("media_product_type") not in ("STORY", "LIVE")]


def stories(context: AppContext, user_id: str, now: datetime) -> list[Object]:
    """Return an account's stories at a time: for 24 hours if the state sets `story_hours`, else all."""
    hours = (context.first("settings") or {}).get("story_hours")
    return [
        post
        for post in _posts(context, user_id)
        if post.get("media_product_type") == "STORY"
        and (hours is None or not older_than(post.get("timestamp"), hours, now))
    ]


def live(context: AppContext, user_id: str) -> list[Object]:
    """Return an account's current broadcasts."""
    return [post for post in _posts(context, user_id) if post.get("media_product_type") == "LIVE"]


def tagging(context: AppContext, user: Object) -> list[Object]:
    """Return other accounts' posts in which an account is tagged."""
    posts = [
        post
        for post in context.list("media", {"user_tags !=": None})
        if post.get("owner") != user["id"]
        and any(tag.get("username") == user.get("username") for tag in post["user_tags"])
    ]
    return newest_first(posts, "timestamp")


def insights_of(context: AppContext, object_id: str, metrics: list[str], period: str | None) -> list[Object]:
    """Return `GET /<id>/insights` of an own post or of the account; the parts of a carousel have none.

    Raises:
        GraphError: The token is invalid, the object has no insights or is another account's, or see `insights`.
    """
    node = find(context, object_id or "insights")
    if node.type is USER:
        return insights.of_user(context, object_id, metrics, {"period": period})
    if node.type is not MEDIA or "owner" not in node.row:
        raise unsupported("get", object_id)
    if node.row["owner"] != me(context):
        raise no_permission()
    return insights.of_media(context, node.row, metrics, period or "lifetime")


def edge(context: AppContext, posts: list[Object], path: str, arguments: Arguments, fields: str) -> Envelope:
    """Return a page of posts with the requested or default `fields`; a limit of 0 is ignored.

    Raises:
        GraphError: See `pages.page`, `fields.parse` and `nodes.project_all`.
    """
    requested = arguments.get("fields") or fields
    rows, paging = page(posts, path, {**arguments, "limit": arguments.get("limit") or None}, requested)
    return page_envelope(project_all(context, MEDIA, rows, parse(requested)), paging)


def _posts(context: AppContext, user_id: str) -> list[Object]:
    return newest_first(context.list("media", {"owner": user_id}), "timestamp")
