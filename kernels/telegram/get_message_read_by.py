"""The `get_message_read_by` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, history, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed, word_errors
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.telegram.rules.text import indented_json
from soundstage.kernels.telegram.rules.times import iso
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the users who have read one of the account's messages in a group.

    Source of Telegram's refusals: https://core.telegram.org/method/messages.getMessageReadParticipants
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    message_id = arguments["message_id"]
    client = server.client()
    chat = resolve.entity(client, chat_id)
    where = f"message {message_id} in chat {chat_id}"
    sentences = {
        "MSG_TOO_OLD": f"Read receipts unavailable for {where}: message is too old or read receipts are disabled.",
        "USER_NOT_PARTICIPANT": f"Cannot read receipts for {where}: you are not a participant of this chat.",
        "PEER_ID_INVALID": f"Invalid chat: {chat_id}.",
    }
    with word_errors(sentences):
        receipts = _receipts(client, chat, message_id)
    if not receipts:
        return f"No read receipts available for {where}."
    readers = [
        {"user_id": row["user_id"], "read_at": iso(row["date"]) if row.get("date") else None} for row in receipts
    ]
    return indented_json(
        {"chat_id": str(chat_id), "message_id": message_id, "read_by": readers, "count": len(readers)},
    )


def _receipts(client: Client, chat: Object, message_id: int) -> list[Object]:
    if peers.is_user(chat) or chat.get("type") == "channel":
        raise Failed("PEER_ID_INVALID")
    if not chats.is_member(client, chat):
        raise Failed("USER_NOT_PARTICIPANT")
    message = history.find(client, chat["id"], message_id)
    if message is None or not history.sent_by(client, message):
        raise Failed("MSG_ID_INVALID")
    if message.get("too_old"):
        raise Failed("MSG_TOO_OLD")
    return client.context.list("read_receipt", {"chat_id": chat["id"], "message_id": message_id})
