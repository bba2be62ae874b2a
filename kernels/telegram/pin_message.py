"""The `pin_message` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import pins, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Pin one message of a chat."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    pins.set_pinned(client, peer, arguments["message_id"], pinned=True)
    return f"Message {arguments['message_id']} pinned in chat {chat_id}."
