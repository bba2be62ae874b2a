"""The `wait_for_settled_message` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.telegram.rules import feed, pending
from soundstage.kernels.telegram.rules.server import server_of
from soundstage.kernels.telegram.rules.text import json_line
from soundstage.kernels.types import Arguments

_LONGEST_MS = 86_400_000
"""No client waits longer for a reply."""


def run(context: AppContext, arguments: Arguments) -> str:
    """Wait until a chat has been quiet for a while, and take its messages.

    The server answers this itself, before any check of the account or the id.
    """
    server = server_of(context, arguments["account"])
    target = pending.target(server, arguments["chat_id"])
    settle_ms, end_ms = arguments["settle_ms"], min(max(arguments["max_wait_ms"], 0), _LONGEST_MS)
    later_ms = 0
    while True:
        # The feed runs in parallel with this call and takes messages that settle for it first.
        ahead = feed.catch_up(server, later_ms)
        bursts = [burst for burst in pending.bursts(server) if target in (None, burst.chat_id)]
        settled = next((burst for burst in bursts if burst.last_ms + later_ms >= settle_ms), None)
        if settled is not None:
            pending.take(server, settled)
            context.wait(later_ms)
            return json_line({"event": True, **settled.summary()})
        if later_ms >= end_ms:
            context.wait(later_ms)
            return json_line({"event": False, "reason": "timeout", "waiting_for": target})
        waits_ms = [settle_ms - burst.last_ms for burst in bursts]
        later_ms = min([end_ms, *waits_ms, *([] if ahead is None else [ahead])])
