"""The `search_messages` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import history, messages, resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Search a chat's messages for a text."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    matches = history.matching(history.newest(client, peer["id"]), arguments["query"])
    hits = history.walk(matches, arguments["limit"])
    return results_json([{**messages.plain(client, m), **messages.reply_fields(m)} for m in hits])
