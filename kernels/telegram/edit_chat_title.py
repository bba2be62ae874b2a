"""The `edit_chat_title` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import admin_log, chats, creating, resolve
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Rename a group or channel."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    chats.needs_to_edit(client, chat_id, chat, "edit title")
    title = creating.checked_title(arguments["title"])
    if title == chat.get("title"):
        raise Failed("CHAT_NOT_MODIFIED")
    client.context.update("chat", chat["id"], {"title": title})
    admin_log.note(client, chat, "change_title", chat.get("title") or "", title)
    return f"Chat {chat_id} title updated to '{clean_name(arguments['title'])}'."
