"""The `unpin_message` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import pins, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Unpin one message of a chat."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    pins.set_pinned(client, peer, arguments["message_id"], pinned=False)
    return f"Message {arguments['message_id']} unpinned in chat {chat_id}."
