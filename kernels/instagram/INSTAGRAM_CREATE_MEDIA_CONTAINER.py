"""The `INSTAGRAM_CREATE_MEDIA_CONTAINER` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.errors import ServerError
from soundstage.kernels.instagram.rules.publishing import make_container
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments

_PASSED_ON = ("image_url", "video_url", "caption", "content_type", "cover_url", "is_carousel_item")


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Create a container for one picture or video."""
    if not arguments.get("image_url") and not arguments.get("video_url"):
        raise ServerError("invalid", "Either image_url or video_url must be provided")
    if arguments.get("media_type"):
        media_type = arguments["media_type"].upper()
        if media_type not in ("IMAGE", "VIDEO"):
            raise ServerError("invalid", f"media_type must be 'IMAGE' or 'VIDEO', not '{media_type}'")
    else:
        media_type = "VIDEO" if arguments.get("video_url") else "IMAGE"
    fields = {"media_type": media_type, **{name: arguments[name] for name in _PASSED_ON if arguments.get(name)}}
    return success_envelope(make_container(context, arguments, fields))
