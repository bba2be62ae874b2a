"""remove_reaction: take the account's reaction back from a message, if it gave one."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import reacting, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.known(client, resolve.input_peer(client, chat_id))
    message_id = arguments["message_id"]
    reacting.take_back(client, reacting.message_of(client, peer["id"], message_id))
    return f"Reaction removed from message {message_id} in chat {chat_id}."
