"""The `unban_user` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Lift a ban from a supergroup or channel, if there is one."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    user = resolve.entity(client, user_id)
    channel = peers.as_channel(chat)
    chats.needs_admin(client, channel)
    if not peers.is_user(user):
        raise Failed("PARTICIPANT_ID_INVALID")
    client.context.delete("banned_user", (channel["id"], user["id"]))
    return f"User {user_id} unbanned from chat {clean_name(channel.get('title'))} (ID: {chat_id})."
