"""The `INSTAGRAM_SEND_IMAGE` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user, page_of
from soundstage.kernels.instagram.rules.conversations import check_window, send, with_recipient
from soundstage.kernels.instagram.rules.errors import GraphError, UnprefixedError
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.instagram.rules.web import kind_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Send a picture as a direct message."""
    if page_of(context) is None:
        raise UnprefixedError("unauthorized", "Page Access Token required. Run: uv run instagram-mcp/get_page_token.py")
    own_user(context, arguments, "post")
    url, recipient_id = arguments["image_url"], arguments["recipient_id"]
    conversation = with_recipient(context, recipient_id)
    check_window(context, conversation, recipient_id)
    if kind_of(context, url) != "image":
        # Source: https://developers.facebook.com/docs/messenger-platform/error-codes (2018047)
        raise GraphError("invalid", "(#100) Upload attachment failure.")
    picture = {"data": [{"image_data": {"url": url}}]}
    return success_envelope(send(context, conversation, recipient_id, {"message": "", "attachments": picture}))
