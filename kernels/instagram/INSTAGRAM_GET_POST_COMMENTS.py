"""The `INSTAGRAM_GET_POST_COMMENTS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.comments import SHORT, below
from soundstage.kernels.instagram.rules.nodes import COMMENT, MEDIA, find_with_edge, project_all
from soundstage.kernels.instagram.rules.pages import page
from soundstage.kernels.instagram.rules.replies import Envelope, page_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List the comments on a post with the default fields."""
    media = find_with_edge(context, arguments["ig_post_id"], MEDIA, "comments")
    page_arguments = {**arguments, "limit": arguments["limit"] or None}
    rows, paging = page(below(context, media["id"]), f"{media['id']}/comments", page_arguments)
    return page_envelope(project_all(context, COMMENT, rows, SHORT), paging)
