"""The `get_invite_link` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import invites, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Create a new invite link of a chat; every failure after the chat's look-up has the same text.

    The server's other methods do not exist in the library or return no link.
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    try:
        return invites.export(client, chat)
    except Failed as failure:
        raise Refusal(failure.kind, "Could not retrieve invite link for this chat.") from None
