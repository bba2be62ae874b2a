"""The `leave_chat` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import chats, dialogs, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Leave a group or channel.

    Source of Telegram's refusals: https://core.telegram.org/method/channels.leaveChannel
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    if peers.is_user(chat):
        raise Failed("Exception", f"Cannot leave chat ID {chat_id} of type User.")
    if not chats.is_member(client, chat):
        raise Failed("USER_NOT_PARTICIPANT")
    if peers.is_channel(chat) and chats.is_creator(client, chat):
        raise Failed("USER_CREATOR")
    chats.remove_member(client, chat, client.id)
    dialogs.drop(client, chat["id"])
    kind = "channel/supergroup" if peers.is_channel(chat) else "basic group"
    return f"Left {kind} {clean_name(chat.get('title'))} (ID: {chat_id})."
