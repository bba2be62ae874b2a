"""The `delete_message` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import deleting, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Delete a message for all participants; it also succeeds for unknown messages."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    deleting.delete(client, peer, [arguments["message_id"]])
    return f"Message {arguments['message_id']} deleted."
