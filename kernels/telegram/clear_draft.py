"""The `clear_draft` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Empty a chat's input field."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.known(client, resolve.input_peer(client, chat_id))
    client.own_rows.delete("draft", peer["id"])
    return f"Draft cleared from chat {chat_id}."
