"""Publishing in two steps: a container from addresses or other containers, then a post from the container.

Source of the texts: https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules import web
from soundstage.kernels.instagram.rules.account import OWN, me, own_user
from soundstage.kernels.instagram.rules.containers import status
from soundstage.kernels.instagram.rules.errors import GraphError, missing_parameter
from soundstage.kernels.instagram.rules.times import format_time, older_than, parse_time
from soundstage.kernels.types import Arguments

_TYPES = ("IMAGE", "VIDEO", "REELS", "STORIES", "CAROUSEL")
_MOST_CHARACTERS = 2200
_MOST_HASHTAGS = 30
_HASHTAG = re.compile(r"#\w+")
_FEWEST_CHILDREN, _MOST_CHILDREN = 2, 10
_PROCESSING = timedelta(seconds=30)
"""The processing time of a video; pictures are ready at once. Instagram documents no times."""
_QUOTA = 50
_QUOTA_HOURS = 24
_CDN = "https://scontent.cdninstagram.com/v/"


def make_container(context: AppContext, arguments: Arguments, fields: Object) -> Object:
    """Perform `POST /<user>/media`: create a container and return its id.

    Raises:
        GraphError: The token is invalid, the account is another's, or Instagram rejects the container.
    """
    user = own_user(context, arguments, "post")
    if fields["media_type"] not in _TYPES:
        raise GraphError("invalid", f"The media type {fields['media_type']} is unknown.")
    now = context.now()
    made = (_of_children if fields["media_type"] == "CAROUSEL" else _of_addresses)(context, fields, now)
    _check_caption(fields.get("caption", ""))
    container = context.create("container", {"owner": user["id"], **fields, "created_at": format_time(now), **made})
    return {"id": container["id"]}


def publish(context: AppContext, arguments: Arguments, container: Object, now: datetime) -> Object:
    """Perform `POST /<user>/media_publish`: turn the container into a post and return the post's id.

    Raises:
        GraphError: The container is not ready or has expired, or the daily quota is used up.
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
    """Return how many posts an account may publish in 24 hours."""
    total = (context.first("settings") or {}).get("quota_total")
    return _QUOTA if total is None else int(total)


def quota_usage(context: AppContext, now: datetime) -> int:
    """Return how many posts the account has published in the last 24 hours."""
    before = (context.get("quota_usage", context.account or OWN) or {}).get("n") or 0
    published = context.list("container", {"owner": me(context), "published_at !=": None})
    return int(before) + sum(not older_than(c["published_at"], _QUOTA_HOURS, now) for c in published)


def _of_children(context: AppContext, fields: Object, now: datetime) -> Object:
    """Return the status of a carousel, which is ready when all of its parts are."""
    children = fields.get("children", [])
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
        ready = max(ready, parse_time(child.get("ready_at")) or now)
    return _ready_at(ready, now)


def _of_addresses(context: AppContext, fields: Object, now: datetime) -> Object:
    """Return the status of a container for one picture or video, which Instagram fetches."""
    if fields["media_type"] == "IMAGE" or (fields["media_type"] == "STORIES" and "video_url" not in fields):
        if "image_url" not in fields:
            raise missing_parameter("image_url")
        web.check_image(context, fields["image_url"], any_shape=fields["media_type"] == "STORIES")
        return _ready_at(now, now)
    if "video_url" not in fields:
        raise missing_parameter("video_url")
    processes = web.check_video(context, fields["video_url"])
    return {**_ready_at(now + _PROCESSING, now), **({} if processes else {"fails": True})}


def _ready_at(ready: datetime, now: datetime) -> Object:
    if ready <= now:
        return {"status_code": "FINISHED"}
    return {"status_code": "IN_PROGRESS", "ready_at": format_time(ready)}


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
    """Return the post that a container becomes."""
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
        "timestamp": format_time(now),
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
    """Return the parts of a carousel, which become separate objects."""
    made = []
    for child_id in container.get("children", []):
        media_id, shortcode = context.new_id("media"), context.new_id("shortcode", "C{base64url:10}")
        child = context.get("container", child_id) or {}
        attributes = {"permalink": f"https://www.instagram.com/p/{shortcode}/", "timestamp": timestamp}
        made.append({"id": media_id, **_files(media_id, child), **attributes})
    return made


def _files(media_id: str, container: Object) -> Object:
    """Return the kind of a post's file and the address of Instagram's copy; a carousel has no file."""
    if container.get("media_type") == "CAROUSEL":
        return {}
    if "video_url" in container:
        copy = f"{_CDN}{media_id}"
        return {"media_type": "VIDEO", "media_url": f"{copy}.mp4", "thumbnail_url": f"{copy}.jpg"}
    return {"media_type": "IMAGE", "media_url": f"{_CDN}{media_id}.jpg"}
