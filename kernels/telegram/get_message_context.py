"""The `get_message_context` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history, messages, resolve
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.telegram.rules.text import clean, results_json
from soundstage.kernels.telegram.rules.times import iso
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a message with the messages before and after it."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    message_id, size = arguments["message_id"], max(arguments["context_size"], 0)
    peer = resolve.entity(client, chat_id)
    message = history.find(client, peer["id"], message_id)
    if message is None:
        raise Refusal("not_found", f"Message with ID {message_id} not found in chat {chat_id}.")
    before = history.newest(client, peer["id"], {"id <": message_id})[:size]
    after = history.newest(client, peer["id"], {"id >": message_id})[::-1][:size]
    shown = [*before[::-1], message, *after]
    records = [_record(client, peer, row, is_target=row["id"] == message_id) for row in shown]
    return results_json(records, chat_id=chat_id, target_message_id=message_id)


def _record(client: Client, peer: Object, message: Object, *, is_target: bool) -> dict[str, Any]:
    record = {
        "id": message["id"],
        "sender": messages.sender_name(client, message),
        "date": iso(message["date"]),
        "is_target": is_target,
        "text": clean(message.get("text")),
        **_sender(client, message),
    }
    if message.get("grouped_id") is not None:
        record["grouped_id"] = message["grouped_id"]
    if quote := messages.reply_quote(message):
        record["reply_quote"] = quote
    if answered := messages.reply_to(message):
        record["reply_to"] = answered
        replied = history.find(client, peer["id"], answered)
        if replied is not None:
            record["replied_message"] = {
                "sender": messages.sender_name(client, replied),
                "text": clean(replied.get("text")),
                **_sender(client, replied),
            }
    return record


def _sender(client: Client, message: Object) -> dict[str, Any]:
    """Return `{sender_id?, username?}`."""
    fields: dict[str, Any] = {}
    if message.get("sender_id"):
        fields["sender_id"] = message["sender_id"]
    if username := messages.sender_username(client, message):
        fields["username"] = username
    return fields
