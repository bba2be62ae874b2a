"""The `reply_to_message` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import resolve, sending
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import json_line
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Send a text as a reply to a message."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    message_id, text = arguments["message_id"], arguments["text"]
    if sending.is_rich(arguments["parse_mode"]):
        sending.needs_premium(client, "send_message")
        # The server omits the reply if the id is 0.
        sending.send_text(client, peer, text, None, reply_to=message_id or None)
        return json_line({"sent": True, "rich": True})
    sending.send_text(client, peer, text, arguments["parse_mode"], reply_to=message_id)
    return f"Replied to message {message_id} in chat {chat_id}."
