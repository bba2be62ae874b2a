"""The `unpin_all_messages` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT
from soundstage.kernels.telegram.rules import history, pins, resolve
from soundstage.kernels.telegram.rules.errors import word_errors
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments

_REFUSED = {"CHAT_ADMIN_REQUIRED": "Cannot unpin messages: admin privileges are required."}


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Unpin all messages of a chat."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    with word_errors(_REFUSED):
        pins.may_pin(client, peer)
    for message in history.newest(client, peer["id"], {"pinned": True}):
        client.context.update("message", (message["chat_id"], message["id"]), {"pinned": ABSENT})
    return f"All messages unpinned in chat {chat_id}."
