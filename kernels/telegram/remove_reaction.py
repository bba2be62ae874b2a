"""The `remove_reaction` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import reacting, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Remove the account's reaction from a message, if there is one."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.known(client, resolve.input_peer(client, chat_id))
    message_id = arguments["message_id"]
    reacting.remove_reaction(client, reacting.message_of(client, peer["id"], message_id))
    return f"Reaction removed from message {message_id} in chat {chat_id}."
