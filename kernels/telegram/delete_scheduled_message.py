"""The `delete_scheduled_message` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import resolve, wire
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Delete scheduled messages.

    Unknown ids are counted like the others.
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    ids = arguments["message_ids"]
    if not ids:
        raise Refusal("invalid", "message_ids must be a non-empty list.")
    peer = resolve.entity(client, chat_id)
    wire.fits(*ids)
    for message_id in ids:
        client.own_rows.delete("scheduled_message", (peer["id"], message_id))
    return f"Deleted {len(ids)} scheduled message(s) from chat {chat_id}."
