"""Deleting messages by their ids.

Supergroups and channels have a request of their own. All other chats share one that is not told the chat, only the ids, so it
deletes whichever of them has the message.
Source: Telethon's client/messages.py (delete_messages); https://core.telegram.org/method/messages.deleteMessages and
https://core.telegram.org/method/channels.deleteMessages
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, history, peers, wire
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client


def delete(client: Client, peer: Object, message_ids: list[int]) -> int:
    """Delete messages, and answer how many there were.

    Raises:
        Failed: MESSAGE_DELETE_FORBIDDEN for somebody else's message in a group where the account is no admin; an id that no
            request can hold.
    """
    wire.fits(*message_ids)
    found = [message for message_id in dict.fromkeys(message_ids) for message in _rows(client, peer, message_id)]
    for message in found:
        if not _may_delete(client, message):
            raise Failed("MESSAGE_DELETE_FORBIDDEN")
    for message in found:
        client.context.delete("message", (message["chat_id"], message["id"]))
    return len(found)


def _rows(client: Client, peer: Object, message_id: int) -> list[Object]:
    if peers.is_channel(peer):
        found = history.find(client, peer["id"], message_id)
        return [] if found is None else [found]
    rows = client.context.list("message", {"id": message_id, "chat_id >": peers.CHANNEL_MARK})
    return [row for row in rows if history.is_mine(client, row)]


def _may_delete(client: Client, message: Object) -> bool:
    """In a private chat either side may; elsewhere the author and admins."""
    if message["chat_id"] > 0 or history.sent_by(client, message):
        return True
    chat = client.context.get("chat", message["chat_id"])
    return chat is None or chats.is_admin(client, chat)
