"""The `send_message` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import resolve, sending
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import json_line
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Send a text to a chat."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    if sending.is_rich(arguments["parse_mode"]):
        sending.needs_premium(client, "send_message")
        sending.send_text(client, peer, arguments["message"], None)
        return json_line({"sent": True, "rich": True})
    sending.send_text(client, peer, arguments["message"], arguments["parse_mode"])
    return "Message sent successfully."
