"""The `edit_chat_about` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules import admin_log, chats, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed, word_errors
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.types import Arguments

_LONGEST = 255
_SENTENCES = {
    "CHAT_ABOUT_TOO_LONG": "Error: description exceeds Telegram's 255 character limit.",
    "CHAT_ADMIN_REQUIRED": "Error: admin rights required to edit the chat description.",
}


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Change the description of a group or channel.

    Source of Telegram's refusals: https://core.telegram.org/method/messages.editChatAbout
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    with word_errors(_SENTENCES):
        about = _checked(client, chat, arguments["about"])
    before = chat.get("about") or ""
    if about == before:
        return f"Chat {chat_id} description is already set to the requested value."
    client.context.update("chat", chat["id"], {"about": about or ABSENT})
    admin_log.note(client, chat, "change_about", before, about)
    return f"Chat {chat_id} description updated."


def _checked(client: Client, chat: Object, about: str) -> str:
    """Return a valid description as Telegram stores it.

    Raises:
        Failed: The account may not change it, or it is too long.
    """
    if peers.is_user(chat):
        raise Failed("PEER_ID_INVALID")
    chats.needs_admin(client, chat)
    about = about.strip()
    if len(about) > _LONGEST:
        raise Failed("CHAT_ABOUT_TOO_LONG")
    return about
