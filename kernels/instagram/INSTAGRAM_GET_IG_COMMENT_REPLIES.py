"""The `INSTAGRAM_GET_IG_COMMENT_REPLIES` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.comments import answers_to
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.nodes import COMMENT, find_with_edge, project_all
from soundstage.kernels.instagram.rules.pages import page
from soundstage.kernels.instagram.rules.replies import Envelope, page_envelope
from soundstage.kernels.types import Arguments

_FIELDS = "id,text,username,timestamp,like_count,hidden,from,media,parent_id,legacy_instagram_comment_id"


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List the replies to a comment."""
    comment = find_with_edge(context, arguments["ig_comment_id"], COMMENT, "replies")
    fields = arguments.get("fields") or _FIELDS
    page_arguments = {**arguments, "limit": arguments["limit"] or None}
    rows, paging = page(answers_to(context, comment["id"]), f"{comment['id']}/replies", page_arguments, fields)
    return page_envelope(project_all(context, COMMENT, rows, parse(fields)), paging)
