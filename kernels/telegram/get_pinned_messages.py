"""The `get_pinned_messages` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import history, messages, resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the newest pinned message of a chat.

    The library fetches one message if a tool sets no limit.
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    pinned = history.newest(client, peer["id"], {"pinned": True})[:1]
    if not pinned:
        return "No pinned messages found in this chat."
    return results_json([{**messages.plain(client, m), **messages.reply_fields(m)} for m in pinned])
