"""The view of DeepSeek: stored conversations, individual queries, and the balance.

The server stores nothing of queries without a conversation, so they are read from the calls.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.deepseek.rules.model import content_text
from soundstage.servers.view import Call, Calls, Query, View

_MOST, _MOST_ASKED = 200, 40
_LONGEST_STEP = 9  # digits
_ASKING = frozenset({"chat_completion", "completion"})


def show_calls(context: AppContext, query: Query, now: datetime, calls: Calls) -> View:
    """Show a conversation or a call.

    The query's `conversation` is the open conversation, and `step` the call of a query. The default is the last conversation,
    or else the last call.
    """
    conversations = context.list("conversation", limit=_MOST)
    wanted = query.get("conversation", "")
    chosen = next((c for c in conversations if c["conversation_id"] == wanted), None)
    requested = [call for call in calls.newest(_MOST_ASKED) if _is_alone(call)]
    step = query.get("step", "")
    call = calls.at(int(step)) if step.isascii() and step.isdigit() and len(step) <= _LONGEST_STEP else None
    conversation = None
    if call is None or not _is_alone(call):
        conversation = chosen or (conversations[-1] if conversations else None)
        call = None if conversation is not None or not requested else requested[0]
    turns = _turns(call) if call is not None else (conversation or {}).get("messages") or []
    data: dict[str, Any] = {
        "conversations": [c["conversation_id"] for c in conversations],
        "conversation": None if conversation is None else conversation["conversation_id"],
        "asked": [(one.step, _words(one), one.ok) for one in requested],
        "call": None if call is None else call.step,
        "turns": [_turn(turn) for turn in turns if isinstance(turn, dict)],
        "accounts": context.list("account", limit=_MOST),
    }
    return View("deepseek.html.jinja", data)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a conversation."""
    return {"conversation": str(value.get("conversation_id"))} if entity == "conversation" else None


def _is_alone(call: Call) -> bool:
    """Return whether a call is a query without a conversation."""
    return call.tool in _ASKING and not call.arguments.get("conversation_id")


def _turns(call: Call) -> list[Any]:
    """Return the messages of a call and its reply."""
    given = call.arguments.get("messages")
    text = given if isinstance(given, list) and given else [{"role": "user", "content": _words(call)}]
    return [*text, {"role": "assistant" if call.ok else "error", "content": call.text}]


def _words(call: Call) -> str:
    """Return a call's message, its prompt, or the last of its messages."""
    given = call.arguments.get("messages")
    last = given[-1] if isinstance(given, list) and given and isinstance(given[-1], dict) else {}
    return str(call.arguments.get("message") or call.arguments.get("prompt") or content_text(last.get("content")))


def _turn(message: Object) -> dict[str, Any]:
    calls = [call for call in message.get("tool_calls") or [] if isinstance(call, dict)]
    functions = [call.get("function") for call in calls]
    return {
        "role": str(message.get("role") or "user"),
        "text": content_text(message.get("content")),
        "reasoning": str(message.get("reasoning_content") or ""),
        "calls": [f"{f.get('name')}({f.get('arguments')})" for f in functions if isinstance(f, dict)],
    }
