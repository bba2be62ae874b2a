"""The `export_chat_invite` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import invites, resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Create a new invite link of a chat."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    return invites.export(client, resolve.entity(client, chat_id))
