"""Publishing in two steps: a container out of addresses or other containers, then a post out of the container.

Source of the sentences: https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules import web
from soundstage.kernels.instagram.rules.account import OWN, me, own_user
from soundstage.kernels.instagram.rules.containers import status
from soundstage.kernels.instagram.rules.errors import GraphError, required
from soundstage.kernels.instagram.rules.moments import older_than, read, written
from soundstage.kernels.types import Arguments

_TYPES = ("IMAGE", "VIDEO", "REELS", "STORIES", "CAROUSEL")
_MOST_CHARACTERS = 2200
_MOST_HASHTAGS = 30
_HASHTAG = re.compile(r"#\w+")
_FEWEST_CHILDREN, _MOST_CHILDREN = 2, 10
_PROCESSING = timedelta(seconds=30)
"""How long a video takes; pictures are ready at once. Instagram names no times."""
_QUOTA = 50
_QUOTA_HOURS = 24
_CDN = "https://scontent.cdninstagram.com/v/"


def make_container(context: AppContext, arguments: Arguments, asked: Object) -> Object:
    """`POST /<user>/media`: a new container; the answer is its id.

    Raises:
        GraphError: for a bad token, another's account, or what Instagram does not take.
    """
    user = own_user(context, arguments, "post")
    if asked["media_type"] not in _TYPES:
        raise GraphError("invalid", f"The media type {asked['media_type']} is unknown.")
    now = context.now()
    made = (_of_children if asked["media_type"] == "CAROUSEL" else _of_addresses)(context, asked, now)
    _check_caption(asked.get("caption", ""))
    container = context.create("container", {"owner": user["id"], **asked, "created_at": written(now), **made})
    return {"id": container["id"]}


def publish(context: AppContext, arguments: Arguments, container: Object, now: datetime) -> Object:
    """`POST /<user>/media_publish`: the container becomes a post at a moment; the answer is the post's id.

    Raises:
        GraphError: for a container that is not ready or not good any more, or when the day's quota is used up.
    """
    user = own_user(context, arguments, "post")
    match status(container, now):
        case "FINISHED":
            pass
        case "EXPIRED":
            raise GraphError(
                "conflict",
                f"The media builder with creation id = {container['id']} does not exist or has been expired.",
            )
        case _:
            raise GraphError("conflict", "The media is not ready for publishing, please wait for a moment")
    if quota_usage(context, now) >= quota_total(context):
        raise GraphError(
            "limit", "You reached maximum number of posts that is allowed to be published by Content Publishing API."
        )
    media = context.create("media", _post(context, user, container, now))
    context.update("container", container["id"], {"status_code": "PUBLISHED", "published_at": media["timestamp"]})
    if media["media_product_type"] != "STORY":
        context.update("ig_user", user["id"], {"media_count": (user.get("media_count") or 0) + 1})
    return {"id": media["id"]}


def quota_total(context: AppContext) -> int:
    """How many posts an account may publish in 24 hours."""
    total = (context.first("settings") or {}).get("quota_total")
    return _QUOTA if total is None else int(total)


def quota_usage(context: AppContext, now: datetime) -> int:
    """How many posts the account has published in the last 24 hours."""
    before = (context.get("quota_usage", context.account or OWN) or {}).get("n") or 0
    published = context.list("container", {"owner": me(context), "published_at !=": None})
    return int(before) + sum(not older_than(c["published_at"], _QUOTA_HOURS, now) for c in published)


def _of_children(context: AppContext, asked: Object, now: datetime) -> Object:
    """The status of a carousel, which is ready when all of its parts are."""
    children = asked.get("children", [])
    if not _FEWEST_CHILDREN <= len(children) <= _MOST_CHILDREN:
        raise GraphError(
            "limit",
            "Your post won't work as a carousel. Carousels need at least 2 photos/videos and no more than 10 photos/videos.",
        )
    ready = now
    for child_id in children:
        child = context.get("container", child_id)
        if child is None or child.get("owner") not in (None, me(context)) or status(child, now) == "EXPIRED":
            raise GraphError(
                "not_found", f"The media builder with creation id = {child_id} does not exist or has been expired."
            )
        if status(child, now) == "ERROR":
            return {"status_code": "ERROR"}
        ready = max(ready, read(child.get("ready_at")) or now)
    return _ready_at(ready, now)


def _of_addresses(context: AppContext, asked: Object, now: datetime) -> Object:
    """The status of a container for one picture or video, which Instagram fetches."""
    if asked["media_type"] == "IMAGE" or (asked["media_type"] == "STORIES" and "video_url" not in asked):
        if "image_url" not in asked:
            raise required("image_url")
        web.check_image(context, asked["image_url"], any_shape=asked["media_type"] == "STORIES")
        return _ready_at(now, now)
    if "video_url" not in asked:
        raise required("video_url")
    processes = web.check_video(context, asked["video_url"])
    return {**_ready_at(now + _PROCESSING, now), **({} if processes else {"fails": True})}


def _ready_at(ready: datetime, now: datetime) -> Object:
    if ready <= now:
        return {"status_code": "FINISHED"}
    return {"status_code": "IN_PROGRESS", "ready_at": written(ready)}


def _check_caption(caption: str) -> None:
    if len(caption) > _MOST_CHARACTERS:
        raise GraphError(
            "limit",
            f"The submitted image caption was {len(caption)} characters long. The maximum number of characters permitted "
            "for a caption is 2,200.",
        )
    hashtags = len(_HASHTAG.findall(caption))
    if hashtags > _MOST_HASHTAGS:
        raise GraphError(
            "limit",
            f"The submitted image caption had {hashtags} hashtags. The maximum number of hashtags permitted for a caption "
            "is 30.",
        )


def _post(context: AppContext, user: Object, container: Object, now: datetime) -> Object:
    """A container as the post that it becomes."""
    media_id, shortcode = context.new_id("media"), context.new_id("shortcode", "C{base64url:10}")
    kind = str(container.get("media_type") or "IMAGE")
    folder = "reel" if kind == "REELS" else "p"
    media: Object = {
        "id": media_id,
        "owner": user["id"],
        "username": user.get("username"),
        "media_product_type": {"REELS": "REELS", "STORIES": "STORY"}.get(kind, "FEED"),
        "permalink": f"https://www.instagram.com/{folder}/{shortcode}/",
        "shortcode": shortcode,
        "timestamp": written(now),
        "like_count": 0,
        "comments_count": 0,
        "serial": context.next_number("serial"),
        **_files(media_id, container),
    }
    if kind == "STORIES":
        media["permalink"] = f"https://www.instagram.com/stories/{user.get('username')}/{media_id}"
    if kind == "CAROUSEL":
        media["media_type"] = "CAROUSEL_ALBUM"
        media["children_objs"] = _children(context, container, media["timestamp"])
    if kind == "REELS":
        media["is_shared_to_feed"] = container.get("share_to_feed", True)
    for name in ("caption", "user_tags"):
        if name in container:
            media[name] = container[name]
    return media


def _children(context: AppContext, container: Object, timestamp: str) -> list[Object]:
    """The parts of a carousel, which become objects of their own."""
    made = []
    for child_id in container.get("children", []):
        media_id, shortcode = context.new_id("media"), context.new_id("shortcode", "C{base64url:10}")
        child = context.get("container", child_id) or {}
        told = {"permalink": f"https://www.instagram.com/p/{shortcode}/", "timestamp": timestamp}
        made.append({"id": media_id, **_files(media_id, child), **told})
    return made


def _files(media_id: str, container: Object) -> Object:
    """The kind of a post's file and where Instagram keeps its copies; a carousel has none of its own."""
    if container.get("media_type") == "CAROUSEL":
        return {}
    if "video_url" in container:
        copy = f"{_CDN}{media_id}"
        return {"media_type": "VIDEO", "media_url": f"{copy}.mp4", "thumbnail_url": f"{copy}.jpg"}
    return {"media_type": "IMAGE", "media_url": f"{_CDN}{media_id}.jpg"}
