"""The `unarchive_chat` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT
from soundstage.kernels.telegram.rules import dialogs, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Remove a chat from the archive, if it is there."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    if dialogs.get(client, chat["id"]).get("archived"):
        dialogs.change(client, chat["id"], archived=ABSENT)
    return f"Chat {chat_id} unarchived."
