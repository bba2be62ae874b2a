"""The `demote_admin` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import admins, resolve
from soundstage.kernels.telegram.rules.errors import word_errors
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments

_STRANGER = (
    "Error: Cannot modify admin status of users who are not mutual contacts. "
    "Please ensure the user is in your contacts and has added you back."
)


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Remove all rights of an admin; it also succeeds for ordinary members."""
    group_id = server.checked("group_id", arguments["group_id"])
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    chat = resolve.entity(client, group_id)
    user = resolve.entity(client, user_id)
    with word_errors({"USER_NOT_MUTUAL_CONTACT": _STRANGER}):
        admins.edit(client, chat, user, {}, "")
    return f"Successfully demoted user {user_id} from admin in {clean_name(chat.get('title'))}"
