"""Telegram's search for people and chats.

Source: https://core.telegram.org/method/contacts.search
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import peers
from soundstage.kernels.telegram.rules.chats import is_member
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client


def search(client: Client, query: str, limit: int) -> tuple[list[Object], list[Object]]:
    """Return the chats and users whose title, name or username contains a text, up to `limit` each.

    Raises:
        Failed: SEARCH_QUERY_EMPTY.
    """
    wanted = query.strip().removeprefix("@").lower()
    if not wanted:
        raise Failed("SEARCH_QUERY_EMPTY")
    chats = [chat for chat in client.context.list("chat") if chat.get("username") or is_member(client, chat)]
    users = [user for user in peers.users(client) if user["id"] != client.id]
    return _fitting(chats, wanted, limit), _fitting(users, wanted, limit)


def _fitting(rows: list[Object], wanted: str, limit: int) -> list[Object]:
    hits = [r for r in rows if wanted in peers.display_name(r).lower() or wanted in (r.get("username") or "").lower()]
    return hits[: max(limit, 0)]
