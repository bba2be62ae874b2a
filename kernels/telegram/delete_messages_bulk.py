"""The `delete_messages_bulk` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import deleting, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Delete several messages and report how many of them existed."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    ids = arguments["message_ids"]
    count = deleting.delete(client, peer, ids)
    return f"Deleted {count} of {len(ids)} messages from chat {chat_id}."
