"""The `INSTAGRAM_SEND_TEXT_MESSAGE` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user, page_of
from soundstage.kernels.instagram.rules.conversations import check_window, send, with_recipient
from soundstage.kernels.instagram.rules.errors import GraphError, UnprefixedError
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments

_MOST_BYTES = 1000


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Send a text as a direct message."""
    if page_of(context) is None:
        raise UnprefixedError("unauthorized", "Page Access Token required. Run: uv run instagram-mcp/get_page_token.py")
    own_user(context, arguments, "post")
    text, recipient_id = arguments["text"], arguments["recipient_id"]
    if not text:
        # Source: https://developers.facebook.com/docs/messenger-platform/error-codes (2018034)
        raise GraphError("invalid", "(#100) Message cannot be empty, must provide valid attachment or text")
    if len(text.encode()) > _MOST_BYTES:
        raise GraphError("limit", "(#100) Length of param message[text] must be less than or equal to 1000")
    conversation = with_recipient(context, recipient_id)
    check_window(context, conversation, recipient_id)
    answered = arguments.get("reply_to_message_id")
    return success_envelope(
        send(
            context,
            conversation,
            recipient_id,
            {"message": text, **({"reply_to": {"mid": answered}} if answered else {})},
        )
    )
