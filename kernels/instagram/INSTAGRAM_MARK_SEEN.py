"""The `INSTAGRAM_MARK_SEEN` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import me, own_user, page_of
from soundstage.kernels.instagram.rules.conversations import with_recipient
from soundstage.kernels.instagram.rules.errors import UnprefixedError
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.instagram.rules.times import format_time
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Mark a recipient's messages as seen; this also works outside the messaging window."""
    if page_of(context) is None:
        raise UnprefixedError("unauthorized", "Page Access Token required. Run: uv run instagram-mcp/get_page_token.py")
    own_user(context, arguments, "post")
    conversation = with_recipient(context, arguments["recipient_id"])
    seen = {**conversation.get("seen_at", {}), me(context): format_time(context.now())}
    context.update("conversation", conversation["id"], {"seen_at": seen})
    return success_envelope({"recipient_id": arguments["recipient_id"]})
