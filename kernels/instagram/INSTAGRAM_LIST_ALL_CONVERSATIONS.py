"""The `INSTAGRAM_LIST_ALL_CONVERSATIONS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import authorize, me, page_of
from soundstage.kernels.instagram.rules.errors import UnprefixedError
from soundstage.kernels.instagram.rules.inbox import list_conversations
from soundstage.kernels.instagram.rules.replies import Envelope, page_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List the account's direct conversations; an empty list is a success with an error text."""
    me(context)
    page_id = page_of(context)
    if page_id is None:
        raise UnprefixedError(
            "unauthorized", "Page Access Token is required. Run: uv run instagram-mcp/get_page_token.py"
        )
    authorize(context)
    rows, paging = list_conversations(context, page_id, arguments)
    if not rows:
        return {**page_envelope([], paging), "error": "No conversations found."}
    return page_envelope(rows, paging)
