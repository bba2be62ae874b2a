"""The `wait_for_new_message` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.telegram.rules import feed, pending
from soundstage.kernels.telegram.rules.pending import Burst
from soundstage.kernels.telegram.rules.server import server_of
from soundstage.kernels.telegram.rules.text import clean_name, json_line
from soundstage.kernels.types import Arguments

_LONGEST_S = 86_400
"""No client waits longer for a reply."""


def run(context: AppContext, arguments: Arguments) -> str:
    """Wait until a private message arrives or has arrived, without marking it as read by a tool.

    The server answers this itself, before any check of the account or the id.
    """
    server = server_of(context, arguments["account"])
    target = pending.target(server, arguments["chat_id"])
    feed.catch_up(server)
    bursts = [burst for burst in pending.bursts(server) if target in (None, burst.chat_id)]
    if bursts:
        return json_line({"event": True, "pending_chats": [_record(burst) for burst in bursts]})
    # NaN ends the wait at once, as in asyncio; `max` in this order does the same.
    context.wait(round(min(max(0, arguments["timeout"]), _LONGEST_S) * 1000))
    return json_line({"event": False, "reason": "timeout", "waiting_for": target})


def _record(burst: Burst) -> dict[str, object]:
    return {
        "chat_id": burst.chat_id,
        "name": clean_name(burst.name),
        "username": burst.username,
        "count": len(burst.ids),
        "last_message_id": max(burst.ids),
    }
