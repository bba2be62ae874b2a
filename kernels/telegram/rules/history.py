"""The messages of a chat: which rows they are, and how the library walks through them.

A private chat has two sides. Its rows bear the other person's id as `chat_id` where one side is the state's own account; where
neither is, `owner_id` has the smaller id of the two and `chat_id` the other. Supergroups and channels number their messages
each by itself, all other chats together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import peers, wire
from soundstage.kernels.telegram.rules.moments import moment
from soundstage.kernels.telegram.rules.server import Client

_CHUNK = 100


def place(client: Client, chat_id: int) -> dict[str, Any]:
    """What the rows of a chat's messages have in common: `{"chat_id": …}`, and `owner_id` in a private chat."""
    if chat_id < 0:
        return {"chat_id": chat_id}
    if client.is_own:
        return {"chat_id": chat_id, "owner_id": None}
    if chat_id == client.owner:
        return {"chat_id": client.id, "owner_id": None}
    low, high = sorted((client.id, chat_id))
    return {"chat_id": high, "owner_id": low}


def stored_chat(client: Client, chat_id: int) -> int:
    """The `chat_id` under which a chat's messages, and what hangs on them, are kept."""
    return int(place(client, chat_id)["chat_id"])


def chat_of(client: Client, message: Object) -> int:
    """The marked id of the chat a row is in, as the account sees it."""
    chat_id = int(message["chat_id"])
    if chat_id < 0 or client.is_own:
        return chat_id
    if message.get("owner_id") is None:
        return client.owner
    return int(message["owner_id"]) if chat_id == client.id else chat_id


def is_mine(client: Client, message: Object) -> bool:
    """Whether the account may see a row at all: of its private chats, and of groups."""
    chat_id, owner = int(message["chat_id"]), message.get("owner_id")
    if chat_id < 0:
        return True
    return owner is None if client.is_own else client.id in (chat_id, owner)


def newest(client: Client, chat_id: int, where: dict[str, Any] | None = None) -> list[Object]:
    """A chat's messages, newest first."""
    return client.context.list("message", {**place(client, chat_id), **(where or {})}, order="-id")


def find(client: Client, chat_id: int, message_id: int) -> Object | None:
    """One message of a chat.

    Raises:
        Failed: for an id that no request can hold.
    """
    wire.fits(message_id)
    return client.context.first("message", {**place(client, chat_id), "id": message_id})


def walk(messages: Sequence[Object], limit: int, add_offset: int = 0) -> list[Object]:
    """The first messages of a list as the library fetches them: in chunks of 100, each of which skips `add_offset` again.

    Source: Telethon 1.x, client/messages.py (_MessagesIter): the request keeps its add_offset from one chunk to the next.

    Raises:
        Failed: for an offset that no request can hold.
    """
    found: list[Object] = []
    left, at = max(limit, 0), 0
    while left > 0:
        wire.fits(add_offset)
        chunk = list(islice(messages, max(at + add_offset, 0), max(at + add_offset + min(left, _CHUNK), 0)))
        if not chunk:
            break
        found += chunk
        left -= len(chunk)
        at = max(at + add_offset, 0) + len(chunk)
    return found


def matching(messages: Sequence[Object], text: str) -> list[Object]:
    """The messages whose text has another in it, whatever its letters' case."""
    wanted = text.lower()
    return [m for m in messages if wanted in (m.get("text") or "").lower()]


def sent_by(client: Client, message: Object) -> bool:
    """Whether the account wrote a message (`out`)."""
    return message.get("sender_id") == client.id


def sender(client: Client, message: Object) -> Object | None:
    """Who wrote a message: a user, or the channel that it is a post of."""
    sender_id = message.get("sender_id")
    return None if sender_id is None else peers.peer(client, int(sender_id))


def next_id(client: Client, chat_id: int) -> int:
    """The id of a chat's next message. A topic's id is that of the message which opened it, of which there is no row."""
    if chat_id >= peers.CHANNEL_MARK:
        last = client.context.first("message", {"chat_id >": peers.CHANNEL_MARK}, order="-id")
        return int(last["id"]) + 1 if last else 1
    taken = (client.context.first(name, {"chat_id": chat_id}, order="-id") for name in ("message", "topic"))
    return max((int(row["id"]) for row in taken if row is not None), default=0) + 1


def age_key(message: Object) -> tuple[Any, int]:
    """What messages of several chats are ordered by: when they were sent."""
    return moment(message["date"]), int(message["id"])
