"""The `INSTAGRAM_CREATE_CAROUSEL_CONTAINER` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.errors import ServerError
from soundstage.kernels.instagram.rules.publishing import make_container
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Create a carousel container from containers, or from addresses, for which containers are created first."""
    children = list(arguments.get("children") or [])
    images, videos = arguments.get("child_image_urls") or [], arguments.get("child_video_urls") or []
    if children and (images or videos):
        raise ServerError("invalid", "Provide either children OR child_image_urls/child_video_urls, not both.")
    if not children:
        if not images and not videos:
            raise ServerError("invalid", "Provide children or at least one child_image_urls/child_video_urls.")
        parts = [{"media_type": "IMAGE", "image_url": url} for url in images]
        parts += [{"media_type": "VIDEO", "video_url": url} for url in videos]
        for part in parts:
            made = make_container(context, arguments, {**part, "is_carousel_item": True})
            children.append(made["id"])
    fields = {"media_type": "CAROUSEL", "children": children}
    if arguments.get("caption"):
        fields["caption"] = arguments["caption"]
    return success_envelope(make_container(context, arguments, fields))
