"""The edges of an account that list posts: its feed, its stories, its live broadcasts, and where it is tagged."""

from __future__ import annotations

from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules import insights
from soundstage.kernels.instagram.rules.account import me
from soundstage.kernels.instagram.rules.errors import no_permission, unsupported
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.moments import newest_first, older_than
from soundstage.kernels.instagram.rules.nodes import MEDIA, USER, find, project_all
from soundstage.kernels.instagram.rules.pages import page
from soundstage.kernels.instagram.rules.replies import Envelope, paged
from soundstage.kernels.types import Arguments


def feed(context: AppContext, user_id: str) -> list[Object]:
    """An account's posts and reels; stories and broadcasts are no part of it."""
    return [post for post in _posts(context, user_id) if post.get("media_product_type") not in ("STORY", "LIVE")]


def stories(context: AppContext, user_id: str, now: datetime) -> list[Object]:
    """An account's stories at a moment: for 24 hours, where the state says that the session's clock counts them."""
    hours = (context.first("settings") or {}).get("story_hours")
    return [
        post
        for post in _posts(context, user_id)
        if post.get("media_product_type") == "STORY"
        and (hours is None or not older_than(post.get("timestamp"), hours, now))
    ]


def live(context: AppContext, user_id: str) -> list[Object]:
    """An account's broadcasts that are on the air."""
    return [post for post in _posts(context, user_id) if post.get("media_product_type") == "LIVE"]


def tagging(context: AppContext, user: Object) -> list[Object]:
    """Other accounts' posts in which an account is tagged."""
    found = [
        post
        for post in context.list("media", {"user_tags !=": None})
        if post.get("owner") != user["id"]
        and any(tag.get("username") == user.get("username") for tag in post["user_tags"])
    ]
    return newest_first(found, "timestamp")


def insights_of(context: AppContext, object_id: str, metrics: list[str], period: str | None) -> list[Object]:
    """`GET /<id>/insights` of a post of the account, or of the account itself. The parts of a carousel have none.

    Raises:
        GraphError: for a bad token, what has no insights, somebody else's post, or see `insights`.
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
    """A page of posts, with the `fields` that the arguments ask for or else these; a limit of 0 is none.

    Raises:
        GraphError: see `pages.page`, `fields.parse` and `nodes.project_all`.
    """
    asked = arguments.get("fields") or fields
    rows, paging = page(posts, path, {**arguments, "limit": arguments.get("limit") or None}, asked)
    return paged(project_all(context, MEDIA, rows, parse(asked)), paging)


def _posts(context: AppContext, user_id: str) -> list[Object]:
    return newest_first(context.list("media", {"owner": user_id}), "timestamp")
