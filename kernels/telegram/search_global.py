"""The `search_global` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, history, messages, peers
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client, Server, reading
from soundstage.kernels.telegram.rules.text import clean_name, results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Search the messages of all the account's chats for a text.

    Telegram's global search has no offset, so every page is the first one.

    Source: Telethon's client/messages.py (SearchGlobalRequest gets no add_offset)
    """
    client = server.client()
    query = arguments["query"].strip()
    if not query:
        raise Failed("SEARCH_QUERY_EMPTY")
    matches = history.matching(_everywhere(client), query)
    matches.sort(key=history.age_key, reverse=True)
    hits = history.walk(matches, arguments["page_size"])
    return results_json([_record(client, message) for message in hits]) if hits else "No messages found for this page."


def _everywhere(client: Client) -> list[Object]:
    """Return all messages of the account's private chats, groups and channels."""
    inside = {int(chat["id"]) for chat in client.context.list("chat") if chats.is_member(client, chat)}
    return [
        message
        for message in client.context.list("message")
        if (message["chat_id"] > 0 or message["chat_id"] in inside) and history.is_mine(client, message)
    ]


def _record(client: Client, message: Object) -> dict[str, Any]:
    chat_id = history.chat_of(client, message)
    chat = peers.peer(client, chat_id)
    name = None if chat is None else peers.short_name(chat)
    return {"chat_name": clean_name(name or str(chat_id)), "chat_id": chat_id, **messages.plain(client, message)}
