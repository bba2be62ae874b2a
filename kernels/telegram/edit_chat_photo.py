"""The `edit_chat_photo` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import chats, files, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Give a group or channel a picture."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    path = files.readable(client.context, "edit_chat_photo", arguments["file_path"])
    chat = resolve.entity(client, chat_id)
    chats.needs_to_edit(client, chat_id, chat, "edit photo")
    client.context.update("chat", chat["id"], {"photo": True})
    return f"Chat {chat_id} photo updated from {path}."
