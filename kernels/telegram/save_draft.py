"""The `save_draft` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT
from soundstage.kernels.telegram.rules import resolve, wire
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.times import now_iso
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Store a text as the draft of a chat, replacing the previous one."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.known(client, resolve.input_peer(client, chat_id))
    message, reply_to = arguments["message"], arguments["reply_to_msg_id"]
    wire.fits(reply_to)
    if message or reply_to:
        draft = {
            "message": message,
            "date": now_iso(client.context),
            "no_webpage": arguments["no_webpage"] or ABSENT,
            "reply_to_msg_id": reply_to or ABSENT,
        }
        client.own_rows.put("draft", {"chat_id": peer["id"]}, draft)
    else:  # an empty draft is deleted
        client.own_rows.delete("draft", peer["id"])
    return f"Draft saved to chat {chat_id}. Open the chat in Telegram to see and send it."
