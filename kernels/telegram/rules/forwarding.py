"""Forwarding: copies of messages with a header that names their origin."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history, peers, sending
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client

_COPIED = ("entities", "poll", "contact", "views", "forwards")


def forward(client: Client, source: Object, message_ids: list[int], target: Object) -> list[Object]:
    """Copy messages of one chat into another, in the given order.

    Raises:
        Failed: A message does not exist (then none is forwarded), or the account may not write.
    """
    if not message_ids:
        return []
    sending.may_write(client, target)
    rows = [history.find(client, source["id"], message_id) for message_id in message_ids]
    messages = [message for message in rows if message is not None]
    if len(messages) < len(message_ids):
        raise Failed("MESSAGE_ID_INVALID")
    albums: dict[int, int] = {}
    return [_copied(client, message, target, albums) for message in messages]


def _copied(client: Client, message: Object, target: Object, albums: dict[int, int]) -> Object:
    fields: dict[str, Any] = {name: message[name] for name in _COPIED if message.get(name) is not None}
    fields["fwd_from"] = message.get("fwd_from") or origin(message)
    album = message.get("grouped_id")
    if album is not None:
        fields["grouped_id"] = albums.setdefault(album, album + client.context.next_number("album"))
    copy = sending.put(client, target, message.get("text") or "", **fields)
    media = client.context.get("media", (message["chat_id"], message["id"]))
    if media is not None:
        client.context.create("media", {**media, "chat_id": copy["chat_id"], "message_id": copy["id"]})
    return copy


def origin(message: Object) -> Object:
    """Return the origin in the header of a copy: the sender, or the channel and the post."""
    header = {"from_id": message.get("sender_id"), "date": message["date"]}
    sender = message.get("sender_id")
    if sender is not None and int(sender) < peers.CHANNEL_MARK:
        header["channel_post"] = message["id"]
    return {name: value for name, value in header.items() if value is not None}
