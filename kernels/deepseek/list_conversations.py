"""The `list_conversations` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.reply import TextReply
from soundstage.kernels.engines.javascript import utf16_order
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """List the ids of the stored conversations."""
    ids = sorted((row["conversation_id"] for row in context.list("conversation")), key=utf16_order)
    return TextReply("\n".join(ids) or "(no stored conversations)", {"conversation_ids": ids, "count": len(ids)})
