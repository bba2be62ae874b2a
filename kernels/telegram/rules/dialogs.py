"""The list of an account's chats: order, and unread, muted and archived state.

The default account's list consists of its `dialog` rows. Another person's list follows from their chats and messages;
their read position, muted and archived state are in their personal rows.
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules import history, peers
from soundstage.kernels.telegram.rules.chats import is_member
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import now_iso, parse_time


def list_dialogs(client: Client, *, archived: bool | None = None) -> list[tuple[Object, Object]]:
    """Return the account's chats as (dialog, peer), the most recently active first.

    `archived` selects archived or other chats.
    """
    pairs = [(row, peers.peer(client, int(row["chat_id"]))) for row in _rows(client)]
    there = [(row, peer) for row, peer in pairs if peer is not None]
    if archived is not None:
        there = [(row, peer) for row, peer in there if bool(row.get("archived")) is archived]
    dated = [pair for pair in there if pair[0].get("date")]
    dated.sort(key=lambda pair: parse_time(pair[0]["date"]), reverse=True)
    return dated + [pair for pair in there if not pair[0].get("date")]


def get(client: Client, chat_id: int) -> Object:
    """Return a chat's dialog, or an empty one if the chat is not in the list."""
    if client.is_own:
        return client.context.get("dialog", chat_id) or {"chat_id": chat_id}
    return _of_other(client, chat_id)


def change(client: Client, chat_id: int, **changes: Any) -> None:
    """Change the stored state of a dialog, which need not be in the list."""
    client.own_rows.put("dialog", {"chat_id": chat_id}, changes)


def to_top(client: Client, chat_id: int) -> None:
    """Move a chat to the top of the account's list because of a new message."""
    fresh = {} if get(client, chat_id).get("unread_count") is not None else {"unread_count": 0}
    change(client, chat_id, date=now_iso(client.context), **fresh)


def drop(client: Client, chat_id: int) -> None:
    """Remove a chat from the account's list."""
    client.own_rows.delete("dialog", chat_id)


def read(client: Client, chat_id: int) -> None:
    """Mark all messages of a chat as read, except mentions, which have a separate request."""
    if client.is_own:
        if client.context.get("dialog", chat_id) is not None:
            client.context.update("dialog", chat_id, {"unread_count": 0, "unread_mark": ABSENT})
        return
    last = history.newest(client, chat_id)
    change(client, chat_id, read_max_id=int(last[0]["id"]) if last else 0, unread_mark=ABSENT)


def count_unread(client: Client, chat: Object, message: Object) -> None:
    """Count another user's new message as unread for the default account if it is in the chat.

    A private message of a person also becomes pending for the tools that wait.
    """
    if client.is_own:
        return
    owner = client.context.get("user", client.owner)
    if owner is None or client.id == client.owner:
        return
    if peers.is_user(chat):
        if chat["id"] != client.owner:
            return
        chat_id = client.id
    else:
        if client.owner not in (chat.get("participants") or [client.owner]):
            return
        chat_id = int(chat["id"])
    row = client.context.get("dialog", chat_id)
    unread = {"unread_count": (row or {}).get("unread_count", 0) + 1, "date": message["date"]}
    if row is None:
        client.context.create("dialog", {"chat_id": chat_id, **unread})
    else:
        client.context.update("dialog", chat_id, unread)
    if peers.is_user(chat) and not client.me.get("bot"):
        pending = {"chat_id": chat_id, "id": message["id"], "sender_id": client.id, "text": message.get("text", "")}
        client.context.create("incoming_message", {**pending, "date": message["date"]})


def _rows(client: Client) -> list[Object]:
    if client.is_own:
        return client.context.list("dialog")
    chats = [int(chat["id"]) for chat in client.context.list("chat") if is_member(client, chat)]
    private = client.context.list("message", {"chat_id >": 0})
    people = dict.fromkeys(history.chat_of(client, m) for m in private if history.is_mine(client, m))
    return [_of_other(client, chat_id) for chat_id in (*chats, *people)]


def _of_other(client: Client, chat_id: int) -> Object:
    """Return another person's dialog, from the messages of the chat and the stored state."""
    stored = client.own_rows.get("dialog", chat_id) or {}
    messages = history.newest(client, chat_id)
    seen = stored.get("read_max_id", 0)
    # The author of a message has read everything above it.
    seen = max([seen, *(int(m["id"]) for m in messages if history.sent_by(client, m))])
    unread = sum(1 for m in messages if int(m["id"]) > seen)
    last = {"date": messages[0]["date"]} if messages else {}
    return {**stored, **last, "chat_id": chat_id, "unread_count": unread}
