"""The `INSTAGRAM_REPLY_TO_COMMENT` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.comments import write_answer
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Reply to a comment; same request as POST_IG_COMMENT_REPLIES, with a different error text."""
    return success_envelope(write_answer(context, arguments["ig_comment_id"], arguments["message"]))
