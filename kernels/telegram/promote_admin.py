"""The `promote_admin` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import admins, chats, resolve
from soundstage.kernels.telegram.rules.errors import word_errors
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments

_RANK = "Admin"
_STRANGER = (
    "Error: Cannot promote users who are not mutual contacts. "
    "Please ensure the user is in your contacts and has added you back."
)


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Make a user an admin of a supergroup or channel."""
    group_id = server.checked("group_id", arguments["group_id"])
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    chat = resolve.entity(client, group_id)
    user = resolve.entity(client, user_id)
    wanted = chats.USUAL_RIGHTS | (arguments["rights"] or {})
    # The library sets a right for every value except null and false; 0 sets it.
    rights = {name: wanted[name] is not None and wanted[name] is not False for name in chats.EVERY_RIGHT}
    with word_errors({"USER_NOT_MUTUAL_CONTACT": _STRANGER}):
        admins.edit(client, chat, user, rights, _RANK)
    return f"Successfully promoted user {user_id} to admin in {clean_name(chat.get('title'))}"
