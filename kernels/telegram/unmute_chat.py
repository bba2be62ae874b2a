"""The `unmute_chat` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT
from soundstage.kernels.telegram.rules import dialogs, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Unmute a chat, if it is muted."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    if dialogs.get(client, chat["id"]).get("muted"):
        dialogs.change(client, chat["id"], muted=ABSENT)
    return f"Chat {chat_id} unmuted."
