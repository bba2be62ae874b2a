"""The `get_message_reactions` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import reacting, resolve, wire
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import indented_json
from soundstage.kernels.telegram.rules.times import iso
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the users who reacted to a message, and their reactions.

    Source: https://core.telegram.org/method/messages.getMessageReactionsList
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.known(client, resolve.input_peer(client, chat_id))
    message_id, limit = arguments["message_id"], arguments["limit"]
    wire.fits(message_id, limit)
    if peer.get("type") == "channel":
        raise Failed("BROADCAST_FORBIDDEN")
    message = reacting.message_of(client, peer["id"], message_id)
    where = {"chat_id": message["chat_id"], "message_id": message_id}
    given = client.context.list("reaction", where)[: max(limit, 0)]
    if not given:
        return f"No reactions on message {message_id} in chat {chat_id}."
    reactions = [_record(row) for row in given]
    report = {"message_id": message_id, "chat_id": str(chat_id), "reactions": reactions, "count": len(reactions)}
    return indented_json(report)


def _record(row: Object) -> dict[str, Any]:
    emoji = f"custom:{row['document_id']}" if row.get("document_id") else row.get("emoji")
    return {"user_id": row["user_id"], "emoji": emoji, "date": iso(row["date"]) if row.get("date") else None}
