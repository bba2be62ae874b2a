"""The `INSTAGRAM_LIST_ALL_MESSAGES` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import page_of
from soundstage.kernels.instagram.rules.conversations import messages
from soundstage.kernels.instagram.rules.errors import UnprefixedError
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.nodes import CONVERSATION, MESSAGE, find_with_edge, project_all
from soundstage.kernels.instagram.rules.pages import page
from soundstage.kernels.instagram.rules.replies import Envelope, page_envelope
from soundstage.kernels.types import Arguments

_FIELDS = "id,message,from,created_time,attachments"


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List a direct conversation's messages."""
    if page_of(context) is None:
        raise UnprefixedError("unauthorized", "Page Access Token required. Run: uv run instagram-mcp/get_page_token.py")
    conversation = find_with_edge(context, arguments["conversation_id"], CONVERSATION, "messages")
    rows_of_chat = messages(context, conversation["id"])
    rows, paging = page(rows_of_chat, f"{conversation['id']}/messages", arguments, _FIELDS)
    return page_envelope(project_all(context, MESSAGE, rows, parse(_FIELDS)), paging)
