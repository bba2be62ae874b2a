"""The `INSTAGRAM_GET_IG_MEDIA_CHILDREN` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.nodes import MEDIA, find_with_edge, project_all
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments

_FIELDS = "id,media_type,media_url,permalink,timestamp"


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List the parts of a carousel; other posts have none."""
    album = find_with_edge(context, arguments["ig_media_id"], MEDIA, "children")
    return success_envelope(
        project_all(context, MEDIA, album.get("children_objs") or [], parse(arguments.get("fields") or _FIELDS))
    )
