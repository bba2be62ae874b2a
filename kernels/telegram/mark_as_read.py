"""The `mark_as_read` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import dialogs, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Mark all messages of a chat as read."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    dialogs.read(client, peer["id"])
    return f"Marked all messages as read in chat {chat_id}."
