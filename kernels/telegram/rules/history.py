"""The messages of a chat: their rows, and paging as in the library.

A private chat has two sides. If one side is the default account, `chat_id` is the other person's id. Otherwise
`owner_id` is the smaller id of the two and `chat_id` the other. Supergroups and channels number their messages
separately, all other chats share one sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import peers, wire
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import parse_time

_CHUNK = 100


def place(client: Client, chat_id: int) -> dict[str, Any]:
    """Return the filter for the rows of a chat: `chat_id`, and `owner_id` in a private chat."""
    if chat_id < 0:
        return {"chat_id": chat_id}
    if client.is_own:
        return {"chat_id": chat_id, "owner_id": None}
    if chat_id == client.owner:
        return {"chat_id": client.id, "owner_id": None}
    low, high = sorted((client.id, chat_id))
    return {"chat_id": high, "owner_id": low}


def chat_of(client: Client, message: Object) -> int:
    """Return the marked id of a message's chat as the account sees it."""
    chat_id = int(message["chat_id"])
    if chat_id < 0 or client.is_own:
        return chat_id
    if message.get("owner_id") is None:
        return client.owner
    return int(message["owner_id"]) if chat_id == client.id else chat_id


def is_mine(client: Client, message: Object) -> bool:
    """Return whether the account may see a row: its private chats, and groups."""
    chat_id, owner = int(message["chat_id"]), message.get("owner_id")
    if chat_id < 0:
        return True
    return owner is None if client.is_own else client.id in (chat_id, owner)


def newest(client: Client, chat_id: int, where: dict[str, Any] | None = None) -> list[Object]:
    """Return a chat's messages, newest first."""
    return client.context.list("message", {**place(client, chat_id), **(where or {})}, order="-id")


def find(client: Client, chat_id: int, message_id: int) -> Object | None:
    """Return one message of a chat.

    Raises:
        Failed: The id does not fit into a request.
    """
    wire.fits(message_id)
    return client.context.first("message", {**place(client, chat_id), "id": message_id})


def walk(messages: Sequence[Object], limit: int, add_offset: int = 0) -> list[Object]:
    """Return the first messages of a list as the library fetches them.

    The library requests chunks of 100 and applies `add_offset` again to each of them. Source: Telethon 1.x,
    client/messages.py (_MessagesIter): the request reuses its add_offset for each chunk.

    Raises:
        Failed: The offset does not fit into a request.
    """
    fetched: list[Object] = []
    left, at = max(limit, 0), 0
    while left > 0:
        wire.fits(add_offset)
        chunk = list(islice(messages, max(at + add_offset, 0), max(at + add_offset + min(left, _CHUNK), 0)))
        if not chunk:
            break
        fetched += chunk
        left -= len(chunk)
        at = max(at + add_offset, 0) + len(chunk)
    return fetched


def matching(messages: Sequence[Object], text: str) -> list[Object]:
    """Return the messages whose text contains another one, ignoring case."""
    wanted = text.lower()
    return [m for m in messages if wanted in (m.get("text") or "").lower()]


def sent_by(client: Client, message: Object) -> bool:
    """Return whether the account wrote a message (`out`)."""
    return message.get("sender_id") == client.id


def sender(client: Client, message: Object) -> Object | None:
    """Return the author of a message: a user, or the channel of a post."""
    sender_id = message.get("sender_id")
    return None if sender_id is None else peers.peer(client, int(sender_id))


def next_id(client: Client, chat_id: int) -> int:
    """Return the id of a chat's next message.

    A topic has the id of the message that opened it, which has no row.
    """
    if chat_id >= peers.CHANNEL_MARK:
        last = client.context.first("message", {"chat_id >": peers.CHANNEL_MARK}, order="-id")
        return int(last["id"]) + 1 if last else 1
    taken = (client.context.first(name, {"chat_id": chat_id}, order="-id") for name in ("message", "topic"))
    return max((int(row["id"]) for row in taken if row is not None), default=0) + 1


def age_key(message: Object) -> tuple[Any, int]:
    """Return the sort key of messages from several chats: the time of sending."""
    return parse_time(message["date"]), int(message["id"])
