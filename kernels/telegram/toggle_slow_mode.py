"""The `toggle_slow_mode` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT
from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Refusal, word_errors
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments

_INTERVALS = (0, 5, 10, 30, 60, 300, 900, 3600)
_NO_ADMIN = "Error: admin rights required to toggle slow mode."


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Set how long members of a supergroup must wait between two messages.

    Source of Telegram's refusals: https://core.telegram.org/method/channels.toggleSlowMode
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    seconds = arguments["seconds"]
    client = server.client()
    chat = resolve.entity(client, chat_id)
    if not peers.is_supergroup(chat):
        raise Refusal("invalid", "Error: slow mode is only supported for supergroups.")
    with word_errors({"CHAT_ADMIN_REQUIRED": _NO_ADMIN}):
        chats.needs_admin(client, chat)
    if seconds not in _INTERVALS:
        raise Failed("SECONDS_INVALID")
    if seconds == (chat.get("slow_mode_seconds") or 0):
        raise Failed("CHAT_NOT_MODIFIED")
    client.context.update("chat", chat["id"], {"slow_mode_seconds": seconds or ABSENT})
    if seconds == 0:
        return f"Slow mode disabled for chat {chat_id}."
    return f"Slow mode enabled for chat {chat_id} (interval: {seconds}s)."
