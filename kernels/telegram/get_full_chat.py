"""The `get_full_chat` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import chats, peers, resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean, clean_name, json_line
from soundstage.kernels.types import Arguments

_LONGEST_ABOUT = 1024


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a group or channel with its description.

    `chat_id` is not validated: a text of digits is a phone number.
    """
    client = server.client()
    chat = resolve.entity(client, arguments["chat_id"])
    if not peers.is_basic_group(chat):
        peers.as_channel(chat)
    linked = chat.get("linked_chat_id")
    record = {
        "id": chat["id"],
        "title": clean_name(chat.get("title")),
        "username": chat.get("username"),
        "about": clean(chat.get("about"), _LONGEST_ABOUT),
        "participants_count": chats.count_members(chat),
        "linked_chat_id": None if linked is None else peers.bare_id(linked),
    }
    return json_line(record)
