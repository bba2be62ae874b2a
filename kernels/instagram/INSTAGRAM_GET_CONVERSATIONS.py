"""The `INSTAGRAM_GET_CONVERSATIONS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import authorize, page_of
from soundstage.kernels.instagram.rules.errors import ServerError, unsupported
from soundstage.kernels.instagram.rules.inbox import list_conversations
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List direct conversations; the page's reply is passed on whole, one level deeper than in other tools."""
    page_id = page_of(context)
    requested_page = arguments.get("page_id") or page_id
    if requested_page is None:
        raise ServerError("unauthorized", "Could not find Facebook Page ID. Set FACEBOOK_PAGE_ID.")
    if page_id is None:
        raise ServerError("unauthorized", "Page Access Token is required. Run: uv run instagram-mcp/get_page_token.py")
    authorize(context)
    if requested_page != page_id:
        raise unsupported("get", requested_page)
    rows, paging = list_conversations(context, page_id, {"limit": arguments.get("limit") or None})
    return success_envelope({"data": rows, **({"paging": paging} if paging else {})})
