"""The `INSTAGRAM_POST_IG_MEDIA_COMMENTS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.comments import write_below
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Comment on a post."""
    return success_envelope(write_below(context, arguments["ig_media_id"], arguments["message"]))
