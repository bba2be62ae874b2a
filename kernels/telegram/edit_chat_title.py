"""edit_chat_title: rename a group or channel.

A basic group's marked id goes to Telegram as it is, which knows no such group: only its bare id works.
"""

from __future__ import annotations

from soundstage.kernels.telegram.rules import admin_log, chats, creating, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Said
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    if peers.is_user(chat):
        raise Said("invalid", "Cannot edit title for this entity type (<class 'telethon.tl.types.User'>).")
    if peers.is_basic_group(chat) and chat_id != peers.bare_id(chat["id"]):
        raise Failed("CHAT_ID_INVALID")
    chats.needs_admin(client, chat)
    title = creating.checked_title(arguments["title"])
    if title == chat.get("title"):
        raise Failed("CHAT_NOT_MODIFIED")
    client.context.update("chat", chat["id"], {"title": title})
    admin_log.note(client, chat, "change_title", chat.get("title") or "", title)
    return f"Chat {chat_id} title updated to '{clean_name(arguments['title'])}'."
