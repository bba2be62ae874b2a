"""The `send_reaction` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import reacting, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """React to a message with an emoji."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.known(client, resolve.input_peer(client, chat_id))
    message_id, emoji = arguments["message_id"], arguments["emoji"]
    reacting.react(client, reacting.message_of(client, peer["id"], message_id), emoji)
    return f"Reaction '{emoji}' sent to message {message_id} in chat {chat_id}."
