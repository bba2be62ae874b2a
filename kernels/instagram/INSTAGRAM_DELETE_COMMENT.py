"""The `INSTAGRAM_DELETE_COMMENT` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import authorize, me
from soundstage.kernels.instagram.rules.comments import is_own, remove
from soundstage.kernels.instagram.rules.errors import no_permission, unsupported
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Delete a comment below an own post, or an own comment below another account's post."""
    authorize(context)
    comment = context.get("comment", arguments["ig_comment_id"])
    if comment is None:
        raise unsupported("delete", arguments["ig_comment_id"])
    media = context.get("media", comment.get("media_id")) or {}
    if media.get("owner") != me(context) and not is_own(context, comment):
        raise no_permission()
    remove(context, comment)
    return success_envelope({"success": True})
