"""Deletion of messages by id.

Supergroups and channels have a separate request. The request for all other chats contains only ids and no chat, so it
deletes the messages in whichever chat they are. Source: Telethon's client/messages.py (delete_messages);
https://core.telegram.org/method/messages.deleteMessages and https://core.telegram.org/method/channels.deleteMessages
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, history, peers, wire
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client


def delete(client: Client, peer: Object, message_ids: list[int]) -> int:
    """Delete messages and return how many existed.

    Raises:
        Failed: MESSAGE_DELETE_FORBIDDEN for another user's message in a group without admin rights, or an id does not
            fit
            into a request.
    """
    wire.fits(*message_ids)
    rows = [message for message_id in dict.fromkeys(message_ids) for message in _rows(client, peer, message_id)]
    for message in rows:
        if not _may_delete(client, message):
            raise Failed("MESSAGE_DELETE_FORBIDDEN")
    for message in rows:
        client.context.delete("message", (message["chat_id"], message["id"]))
    return len(rows)


def _rows(client: Client, peer: Object, message_id: int) -> list[Object]:
    if peers.is_channel(peer):
        message = history.find(client, peer["id"], message_id)
        return [] if message is None else [message]
    rows = client.context.list("message", {"id": message_id, "chat_id >": peers.CHANNEL_MARK})
    return [row for row in rows if history.is_mine(client, row)]


def _may_delete(client: Client, message: Object) -> bool:
    """Return whether the account may delete a message: either side of a private chat, else author and admins."""
    if message["chat_id"] > 0 or history.sent_by(client, message):
        return True
    chat = client.context.get("chat", message["chat_id"])
    return chat is None or chats.is_admin(client, chat)
