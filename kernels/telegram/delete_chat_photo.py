"""delete_chat_photo: take a group's or channel's picture away, whether it has one or not.

A basic group's marked id goes to Telegram as it is, which knows no such group: only its bare id works.
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT
from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Said
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    if peers.is_user(chat):
        raise Said("invalid", "Cannot delete photo for this entity type (<class 'telethon.tl.types.User'>).")
    if peers.is_basic_group(chat) and chat_id != peers.bare_id(chat["id"]):
        raise Failed("CHAT_ID_INVALID")
    chats.needs_admin(client, chat)
    client.context.update("chat", chat["id"], {"photo": ABSENT})
    return f"Chat {chat_id} photo deleted."
