"""The `INSTAGRAM_GET_IG_MEDIA_COMMENTS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.comments import below
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.nodes import COMMENT, MEDIA, find_with_edge, project_all
from soundstage.kernels.instagram.rules.pages import page
from soundstage.kernels.instagram.rules.replies import Envelope, page_envelope
from soundstage.kernels.types import Arguments

_FIELDS = "id,text,username,timestamp,like_count,from,hidden,media,parent_id"


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List the top-level comments on a post."""
    media = find_with_edge(context, arguments["ig_media_id"], MEDIA, "comments")
    fields = arguments.get("fields") or _FIELDS
    page_arguments = {**arguments, "limit": arguments["limit"] or None}
    rows, paging = page(below(context, media["id"]), f"{media['id']}/comments", page_arguments, fields)
    return page_envelope(project_all(context, COMMENT, rows, parse(fields)), paging)
