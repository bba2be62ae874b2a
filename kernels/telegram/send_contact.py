"""The `send_contact` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import resolve, sending
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments

_CARD = ("phone_number", "first_name", "last_name", "vcard")


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Send a contact card.

    Source of Telegram's refusals: https://core.telegram.org/method/messages.sendMedia
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    sending.may_write(client, peer)
    if resolve.parse_phone(arguments["phone_number"]) is None:
        raise Failed("PHONE_NUMBER_INVALID")
    sending.put(client, peer, "", contact={name: arguments[name] for name in _CARD if arguments[name]})
    return f"Contact sent to chat {chat_id}."
