"""Conversations in the memory of the server process."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.deepseek.rules.api import whole_setting

_MOST = 200


def history(context: AppContext, conversation_id: str) -> list[Object]:
    """Return the messages of a conversation."""
    row = context.get("conversation", conversation_id)
    return list(row.get("messages") or []) if row is not None else []


def remember(context: AppContext, conversation_id: str, messages: list[Object]) -> None:
    """Store a conversation, limited to its latest messages."""
    stored = messages[-whole_setting(context, "CONVERSATION_MAX_MESSAGES", _MOST) :]
    if context.get("conversation", conversation_id) is None:
        context.create("conversation", {"conversation_id": conversation_id, "messages": stored})
    else:
        context.update("conversation", conversation_id, {"messages": stored})
