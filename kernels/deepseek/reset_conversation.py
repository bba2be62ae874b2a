"""The `reset_conversation` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.reply import TextReply
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """Delete a conversation."""
    conversation_id = arguments["conversation_id"]
    removed = context.delete("conversation", conversation_id)
    words = "was removed." if removed else "did not exist."
    fields = {"conversation_id": conversation_id, "removed": removed}
    return TextReply(f'Conversation "{conversation_id}" {words}', fields)
