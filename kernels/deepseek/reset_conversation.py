"""The `reset_conversation` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.reply import Told
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Told:
    """Delete a conversation."""
    conversation_id = arguments["conversation_id"]
    removed = context.delete("conversation", conversation_id)
    words = "was removed." if removed else "did not exist."
    fields = {"conversation_id": conversation_id, "removed": removed}
    return Told(f'Conversation "{conversation_id}" {words}', fields)
