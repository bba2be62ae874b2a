"""The `edit_admin_rights` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import admins, chats, resolve
from soundstage.kernels.telegram.rules.errors import word_errors
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments

_SENTENCES = {
    "CHAT_ADMIN_REQUIRED": "Error: you need admin rights (with 'add_admins') to modify admin rights.",
    "USER_ADMIN_INVALID": (
        "Error: cannot modify admin rights for this user (you may need to have promoted them originally)."
    ),
    "RIGHT_FORBIDDEN": "Error: some of the requested rights are not allowed for your account or for this chat.",
}


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Set an admin's rights one by one; without any right the user is no longer an admin."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    chat = resolve.entity(client, chat_id)
    user = resolve.entity(client, user_id)
    rights = {name: arguments[name] for name in chats.EVERY_RIGHT}
    with word_errors(_SENTENCES):
        admins.edit(client, chat, user, rights, arguments["rank"])
    return f"Admin rights updated for user {user_id} in chat {chat_id}."
