"""DeepSeek as people see it: the conversations that the server remembers, the turns of one, and what is left to spend."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.deepseek.rules.model import content_text
from soundstage.servers.view import Query, View

_MOST = 200


def show(context: AppContext, query: Query, now: datetime) -> View:
    """`conversation` is open, or the last one that there is."""
    conversations = context.list("conversation", limit=_MOST)
    wanted = query.get("conversation", "")
    chosen = next((c for c in conversations if c["conversation_id"] == wanted), None)
    conversation = chosen or (conversations[-1] if conversations else None)
    turns = [] if conversation is None else conversation.get("messages") or []
    data: dict[str, Any] = {
        "conversations": [c["conversation_id"] for c in conversations],
        "conversation": None if conversation is None else conversation["conversation_id"],
        "turns": [_turn(turn) for turn in turns if isinstance(turn, dict)],
        "accounts": context.list("account", limit=_MOST),
    }
    return View("deepseek.html.jinja", data)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Conversations."""
    return {"conversation": str(value.get("conversation_id"))} if entity == "conversation" else None


def _turn(message: Object) -> dict[str, Any]:
    calls = [call for call in message.get("tool_calls") or [] if isinstance(call, dict)]
    functions = [call.get("function") for call in calls]
    return {
        "role": str(message.get("role") or "user"),
        "text": content_text(message.get("content")),
        "reasoning": str(message.get("reasoning_content") or ""),
        "calls": [f"{f.get('name')}({f.get('arguments')})" for f in functions if isinstance(f, dict)],
    }
