"""Sending files: their kinds and the message that each of them creates.

Source: Telethon's client/uploads.py (send_file, _send_album, _file_to_media),
https://core.telegram.org/method/messages.sendMedia
"""

from __future__ import annotations

from posixpath import basename, splitext
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, history, markup, mime, sending, wire
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client

_LONGEST_CAPTION = 1024
_MARKUP = "md"
"""The library's default markup."""

_PHOTOS = (".png", ".jpg", ".jpeg")
_KINDS = {".webp": "sticker", ".gif": "gif"}
_PERMISSIONS = {"sticker": "send_stickers", "gif": "send_gifs"}
_FIRST_MEDIA = 5_210_000_000_000_000_000
_FIRST_ALBUM = 14_000_000_000_000_000
_GENERAL_TOPIC = 1


def attach(
    client: Client,
    peer: Object,
    paths: list[str],
    *,
    caption: str | None = None,
    topic_id: int | None = None,
    is_voice: bool = False,
) -> None:
    """Send files, several of them as an album with the caption on the first one.

    Raises:
        Failed: The account may not write or send such files; the caption is too long; a file is empty; the topic is
            closed or
            unknown, or its id does not fit into a request.
    """
    text, entities = markup.parse(caption, _MARKUP) if caption else ("", [])
    sending.may_write(client, peer)
    if len(text) > _LONGEST_CAPTION:
        raise Failed("MEDIA_CAPTION_TOO_LONG")
    kinds = ["voice" if is_voice else _kind_of(path) for path in paths]
    for kind in kinds:
        _may_send(client, peer, kind)
    placement = _place(client, peer, topic_id)
    if len(paths) > 1:
        placement["grouped_id"] = _FIRST_ALBUM + client.context.next_number("album")
    captions: list[dict[str, Any]] = [{"text": text, **({"entities": entities} if entities else {})}]
    captions += [{"text": ""}] * (len(paths) - 1)
    for path, kind, caption_fields in zip(paths, kinds, captions, strict=True):
        message = sending.put(client, peer, **caption_fields, **placement)
        client.context.create("media", _media(client, message, path, kind))


def _kind_of(path: str) -> str:
    """Return the kind of media that Telegram makes of a file, by its extension."""
    extension = splitext(path)[1].lower()
    if extension in _PHOTOS:
        return "photo"
    if extension in _KINDS:
        return _KINDS[extension]
    family = mime.type_of(path).partition("/")[0]
    return family if family in ("video", "audio") else "document"


def _may_send(client: Client, peer: Object, kind: str) -> None:
    default = client.context.get("default_permission", peer["id"]) or {}
    if default.get(_PERMISSIONS.get(kind, "send_media")) is False and not chats.is_admin(client, peer):
        raise Failed("CHAT_SEND_MEDIA_FORBIDDEN")


def _place(client: Client, peer: Object, topic_id: int | None) -> dict[str, Any]:
    """Return the fields of a message in a topic or in reply to another; the server treats both alike."""
    if topic_id is None:
        return {}
    wire.fits(topic_id)
    topic = client.context.get("topic", (peer["id"], topic_id))
    if topic is None and not (peer.get("forum") and topic_id == _GENERAL_TOPIC):
        if history.find(client, peer["id"], topic_id) is None:
            raise Failed("MESSAGE_ID_INVALID")
        return {"reply_to_msg_id": topic_id}
    if topic is not None and topic.get("closed") and not chats.is_admin(client, peer):
        raise Failed("TOPIC_CLOSED")
    return {"reply_to_msg_id": topic_id, "topic_id": topic_id}


def _media(client: Client, message: Object, path: str, kind: str) -> Object:
    """Return the `media` row of a message.

    A photo has neither the file's name nor its type, because Telegram creates a new picture.
    """
    entry = client.context.disk.stat(path)
    if entry is None or entry.size == 0:
        raise Failed("FILE_PARTS_INVALID")
    named = {} if kind == "photo" else {"file_name": basename(path), "mime_type": mime.type_of(path)}
    return {
        "chat_id": message["chat_id"],
        "message_id": message["id"],
        "kind": kind,
        "id": _FIRST_MEDIA + client.context.next_number("media"),
        "size": entry.size,
        "date": message["date"],
        "file_path": path,
        **named,
    }
