"""The `INSTAGRAM_POST_IG_USER_MEDIA` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.errors import ServerError
from soundstage.kernels.instagram.rules.publishing import make_container
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments

_WHEN_NOT_EMPTY = (
    "image_url", "video_url", "caption", "cover_url", "is_carousel_item", "children", "location_id", "user_tags",
    "audio_name", "collaborators",
)  # fmt: skip
_WHEN_GIVEN = ("thumb_offset", "share_to_feed")


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Create a container of any kind: picture, video, reel, story or carousel."""
    if not any(arguments.get(name) for name in ("image_url", "video_url", "children")):
        raise ServerError("invalid", "Either image_url, video_url, or children must be provided")
    if arguments.get("media_type"):
        media_type = arguments["media_type"].upper()
    elif arguments.get("video_url"):
        media_type = "VIDEO"
    else:
        media_type = "IMAGE" if arguments.get("image_url") else "CAROUSEL"
    fields = {"media_type": media_type, **{name: arguments[name] for name in _WHEN_NOT_EMPTY if arguments.get(name)}}
    fields.update({name: arguments[name] for name in _WHEN_GIVEN if arguments.get(name) is not None})
    return success_envelope(make_container(context, arguments, fields))
