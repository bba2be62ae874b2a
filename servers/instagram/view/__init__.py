"""Instagram as people see it: a profile with its grid, one post with its comments and insights, and the inbox."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules import comments, containers, conversations, media
from soundstage.kernels.instagram.rules.account import login
from soundstage.kernels.instagram.rules.times import newest_first, parse_time
from soundstage.servers.view import Query, View

_PER_PAGE = 60
_MOST_COMMENTS = 100
_MOST_MESSAGES = 100


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Render a post, a chat, the inbox or a profile.

    Query parameters: `media`, `conversation`, `page=inbox`, `profile`, and `offset` in the profile's grid.
    """
    post = context.get("media", query["media"]) if query.get("media") else None
    if post is not None:
        return View("post.html.jinja", _opened(context, post))
    if query.get("conversation") or query.get("page") == "inbox":
        return View("inbox.html.jinja", _inbox(context, query.get("conversation", "")))
    return View("profile.html.jinja", _profile(context, query, now))


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the page of a post, comment, conversation, message, account or container."""
    match entity:
        case "media":
            return {"media": str(value.get("id"))}
        case "comment":
            return {"media": str(value.get("media_id"))}
        case "conversation":
            return {"conversation": str(value.get("id"))}
        case "message":
            return {"conversation": str(value.get("conversation_id"))}
        case "ig_user":
            return {"profile": str(value.get("id"))}
        case "container":
            return {"profile": str(value.get("owner") or _own(context).get("id") or "")}
        case _:
            return None


def _own(context: AppContext) -> Object:
    """Return the account of the default login."""
    named = login(context).get("ig_user_id")
    return (context.get("ig_user", named) if named else None) or context.first("ig_user") or {}


def _profile(context: AppContext, query: Query, now: datetime) -> dict[str, Any]:
    user = (context.get("ig_user", query["profile"]) if query.get("profile") else None) or _own(context)
    offset = int(query["offset"]) if query.get("offset", "").isdecimal() and len(query["offset"]) < 9 else 0
    tagged = query.get("tab") == "tagged"
    owner = user.get("id", "")
    feed = media.tagging(context, user) if user and tagged else media.feed(context, owner)
    waiting = [
        c for c in context.list("container") if c.get("owner") in (None, user.get("id")) and not c.get("published_at")
    ]
    return {
        "user": user,
        "is_own": user.get("id") == _own(context).get("id"),
        "tagged": tagged,
        "total": len(feed),
        "offset": offset,
        "per_page": _PER_PAGE,
        "cards": [_card(p) for p in feed[offset : offset + _PER_PAGE]],
        "moments": [_card(p) for p in (*media.live(context, owner), *media.stories(context, owner, now))],
        "waiting": [_container(c, now) for c in waiting][-20:],
    }


def _card(post: Object) -> dict[str, Any]:
    """Return what a tile of the grid shows of a post."""
    kind = post.get("media_type")
    product = post.get("media_product_type")
    mark = {"STORY": "story", "LIVE": "live", "REELS": "▶ reel"}.get(str(product))
    if mark is None:
        mark = (
            f"{len(post.get('children_objs') or [])} pictures"
            if kind == "CAROUSEL_ALBUM"
            else "▶ video"
            if kind == "VIDEO"
            else ""
        )
    caption = str(post.get("caption") or "")
    return {
        "id": post["id"],
        "caption": caption,
        "title": caption.partition("\n")[0] or "(no caption)",
        "username": post.get("username") or "somebody",
        "mark": mark,
        "likes": post.get("like_count") or 0,
        "comments": post.get("comments_count") or 0,
        "at": parse_time(post.get("timestamp")),
        "tint": sum(map(ord, str(post["id"]))) % 6,
    }


def _container(container: Object, now: datetime) -> dict[str, Any]:
    return {
        "id": container["id"],
        "status": containers.status(container, now),
        "kind": container.get("media_type") or "post",
        "caption": str(container.get("caption") or ""),
        "from": container.get("video_url") or container.get("image_url") or ", ".join(container.get("children") or []),
    }


def _opened(context: AppContext, post: Object) -> dict[str, Any]:
    """Return one post with its comments and insights."""
    below = comments.below(context, post["id"])[:_MOST_COMMENTS]
    insight_rows = [row for row in context.list("insight") if str(row["id"]).startswith(f"{post['id']}/insights/")]
    counted = {str(row.get("name")): (row.get("values") or [{}])[0].get("value") for row in insight_rows}
    return {
        "post": post,
        "card": _card(post),
        "parts": post.get("children_objs") or [],
        "tags": [tag.get("username") for tag in post.get("user_tags") or [] if tag.get("username")],
        "figures": {**(post.get("figures") or {}), **counted},
        "comments": [
            {**_comment(c), "answers": [_comment(a) for a in comments.answers_to(context, c["id"])]} for c in below
        ],
    }


def _comment(comment: Object) -> dict[str, Any]:
    return {
        "id": comment["id"],
        "username": comment.get("username") or (comment.get("from") or {}).get("username") or "somebody",
        "text": str(comment.get("text") or ""),
        "likes": comment.get("like_count") or 0,
        "hidden": bool(comment.get("hidden")),
        "at": parse_time(comment.get("timestamp")),
    }


def _inbox(context: AppContext, open_id: str) -> dict[str, Any]:
    own = _own(context)
    rows = [{**c, "updated_time": conversations.updated_time(context, c)} for c in context.list("conversation")]
    listed = newest_first(rows, "updated_time")
    opened = next((c for c in listed if c["id"] == open_id), None)
    shown = list(reversed(conversations.messages(context, open_id)[:_MOST_MESSAGES])) if opened else []
    return {
        "chats": [_chat(context, c, own) for c in listed],
        "opened": _chat(context, opened, own) if opened else None,
        "messages": [_message(m, own) for m in shown],
    }


def _chat(context: AppContext, conversation: Object, own: Object) -> dict[str, Any]:
    people = (conversation.get("participants") or {}).get("data") or []
    others = [str(p.get("username") or p.get("id")) for p in people if p.get("id") != own.get("id")]
    last = next(iter(conversations.messages(context, conversation["id"])), {})
    return {
        "id": conversation["id"],
        "name": ", ".join(others) or "nobody",
        "last": str(last.get("message") or ("a picture" if last.get("attachments") else "")),
        "at": parse_time(conversation.get("updated_time")),
        "closed": bool(conversation.get("window_closed")),
        "seen": own.get("id") in (conversation.get("seen_at") or {}),
    }


def _message(message: Object, own: Object) -> dict[str, Any]:
    author = message.get("from") or {}
    pictures = (message.get("attachments") or {}).get("data") or []
    return {
        "id": message["id"],
        "mine": author.get("id") == own.get("id"),
        "username": author.get("username") or author.get("id") or "somebody",
        "text": str(message.get("message") or ""),
        "pictures": [str((p.get("image_data") or {}).get("url") or "") for p in pictures],
        "at": parse_time(message.get("created_time")),
    }
