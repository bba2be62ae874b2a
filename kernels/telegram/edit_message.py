"""The `edit_message` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules import chats, history, markup, resolve, sending
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.telegram.rules.text import json_line
from soundstage.kernels.telegram.rules.times import now_iso
from soundstage.kernels.types import Arguments

_LIBRARYS_OWN = "md"
"""The library's default mode, which no other tool uses."""


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Change the text of one of the account's own messages."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    message_id, mode = arguments["message_id"], arguments["parse_mode"]
    if sending.is_rich(mode):
        sending.needs_premium(client, "edit_message")
        _edit(client, peer, message_id, arguments["new_text"], [])
        return json_line({"sent": True, "rich": True, "edited_message_id": message_id})
    text, entities = markup.parse(arguments["new_text"], _LIBRARYS_OWN if mode is None else mode)
    _edit(client, peer, message_id, text, entities)
    return f"Message {message_id} edited."


def _edit(client: Client, peer: Object, message_id: int, text: str, entities: list[Object]) -> None:
    """Change the text of a message.

    Raises:
        Failed: The message is unknown or another user's; the text is empty, too long or unchanged.
    """
    message = history.find(client, peer["id"], message_id)
    if message is None:
        raise Failed("MESSAGE_ID_INVALID")
    is_post = message.get("sender_id") == peer["id"] and chats.is_admin(client, peer)
    if not history.sent_by(client, message) and not is_post:
        raise Failed("MESSAGE_AUTHOR_REQUIRED")
    text = sending.checked_text(text)
    if text == message.get("text") and entities == message.get("entities", []):
        raise Failed("MESSAGE_NOT_MODIFIED")
    changes = {"text": text, "entities": entities or ABSENT, "edit_date": now_iso(client.context)}
    client.context.update("message", (message["chat_id"], message_id), changes)
