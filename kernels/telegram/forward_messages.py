"""The `forward_messages` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import forwarding, resolve
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Forward several messages at once."""
    from_id = server.checked("from_chat_id", arguments["from_chat_id"])
    to_id = server.checked("to_chat_id", arguments["to_chat_id"])
    ids = arguments["message_ids"]
    if not ids:
        raise Refusal("invalid", "Error: message_ids must contain at least one id.")
    client = server.client()
    source, target = resolve.entity(client, from_id), resolve.entity(client, to_id)
    forwarding.forward(client, source, ids, target)
    return f"{len(ids)} messages forwarded from {from_id} to {to_id}."
