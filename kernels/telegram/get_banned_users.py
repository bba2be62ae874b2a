"""The `get_banned_users` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the users banned from a supergroup or channel.

    For other chats the library lists all members.
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.input_entity(client, chat_id)
    people = _banned(client, chat) if peers.is_channel(chat) else chats.listed_members(client, chat)
    return results_json([peers.as_member(user) for user in people]) if people else "No banned users found."


def _banned(client: Client, channel: Object) -> list[Object]:
    chats.needs_admin(client, channel)
    rows = client.context.list("banned_user", {"chat_id": channel["id"]})
    users = (peers.user(client, row["user_id"]) for row in rows)
    return [user for user in users if user is not None]
