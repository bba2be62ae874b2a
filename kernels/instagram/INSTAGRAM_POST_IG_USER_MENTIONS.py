"""The `INSTAGRAM_POST_IG_USER_MENTIONS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import me
from soundstage.kernels.instagram.rules.comments import write_answer, write_below
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Reply to a mention: below the comment if one is named, without checking the post, else below the post."""
    me(context)
    if arguments.get("comment_id"):
        return success_envelope(write_answer(context, arguments["comment_id"], arguments["message"]))
    return success_envelope(write_below(context, arguments["media_id"], arguments["message"]))
