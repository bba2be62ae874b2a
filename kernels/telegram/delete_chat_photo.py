"""The `delete_chat_photo` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT
from soundstage.kernels.telegram.rules import chats, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Remove the picture of a group or channel, if it has one."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    chats.needs_to_edit(client, chat_id, chat, "delete photo")
    client.context.update("chat", chat["id"], {"photo": ABSENT})
    return f"Chat {chat_id} photo deleted."
