"""The `INSTAGRAM_GET_POST_INSIGHTS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.media import insights_of
from soundstage.kernels.instagram.rules.replies import Envelope, page_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Return insights of an own post.

    The server also sends a preset, which the Graph API ignores: it requires metrics.
    """
    return page_envelope(insights_of(context, arguments["ig_post_id"], arguments.get("metric") or [], None), {})
