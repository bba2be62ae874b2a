"""The `ban_user` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import banning, chats, peers, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Ban a user from a supergroup or channel.

    Source of Telegram's refusals: https://core.telegram.org/method/channels.editBanned
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    user = resolve.entity(client, user_id)
    channel = peers.as_channel(chat)
    chats.needs_admin(client, channel)
    banning.ban(client, channel, user)
    return f"User {user_id} banned from chat {clean_name(channel.get('title'))} (ID: {chat_id})."
