"""get_invite_link: a new invite link of a chat. Whatever fails but the look-up of the chat has one sentence.

The other ways that the server tries are not in the library, or have no link.
"""

from __future__ import annotations

from soundstage.kernels.telegram.rules import invites, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Said
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    try:
        return invites.export(client, chat)
    except Failed as failure:
        raise Said(failure.kind, "Could not retrieve invite link for this chat.") from None
