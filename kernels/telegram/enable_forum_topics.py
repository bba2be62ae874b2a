"""The `enable_forum_topics` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Let a supergroup have topics."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    if not peers.is_supergroup(chat):
        raise Refusal("invalid", "The specified chat is not a supergroup.")
    title = clean_name(chat.get("title"))
    if chat.get("forum"):
        return f"Forum topics already enabled for {title}."
    chats.needs_admin(client, chat)
    client.context.update("chat", chat["id"], {"forum": True})
    return f"Forum topics enabled for {title}."
