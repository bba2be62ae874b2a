"""get_admins: the admins of a supergroup or channel; the library lists everybody for other chats."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import admins, chats, peers, resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.at_hand(client, chat_id)
    if chat.get("type") == "channel":
        chats.needs_admin(client, chat)
    people = admins.listed(client, chat) if peers.is_channel(chat) else chats.everybody(client, chat)
    return results([peers.as_member(user) for user in people]) if people else "No admins found."
