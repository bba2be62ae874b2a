"""The `archive_chat` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import dialogs, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Move a chat to the archive; an archived chat stays archived."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    dialogs.change(client, chat["id"], archived=True)
    return f"Chat {chat_id} archived."
