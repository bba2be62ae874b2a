"""The `get_common_chats` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments

_LARGEST_PAGE = 100


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the groups that the account shares with a user, without broadcast channels.

    Source: https://core.telegram.org/method/messages.getCommonChats
    """
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    limit = max(1, min(arguments["limit"], _LARGEST_PAGE))
    person = peers.as_user(resolve.entity(client, user_id))
    if person["id"] == client.id:
        raise Failed("USER_ID_INVALID")
    below = arguments["max_id"]
    shared = chats.shared_with(client, person)
    shown = [chat for chat in shared if below == 0 or peers.bare_id(chat["id"]) < below][:limit]
    if not shown:
        return f"No common chats found with user {user_id}."
    return "\n".join(map(_line, shown))


def _line(chat: Object) -> str:
    parts = [f"Chat ID: {chat['id']}"]
    if chat.get("title"):
        parts.append(f"Title: {clean_name(chat['title'])}")
    parts.append(f"Type: {peers.type_of(chat)}")
    if chat.get("username"):
        parts.append(f"Username: @{chat['username']}")
    return ", ".join(parts)
