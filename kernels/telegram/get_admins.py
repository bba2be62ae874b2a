"""The `get_admins` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import admins, chats, peers, resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the admins of a supergroup or channel.

    For other chats the library lists all members.
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.input_entity(client, chat_id)
    if chat.get("type") == "channel":
        chats.needs_admin(client, chat)
    people = admins.list_admins(client, chat) if peers.is_channel(chat) else chats.listed_members(client, chat)
    return results_json([peers.as_member(user) for user in people]) if people else "No admins found."
