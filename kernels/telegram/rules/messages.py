"""Messages as the server shows them: sender, media, and the three formats of its tools.

Source: telegram_mcp/runtime.py (get_sender_name, get_sender_info, get_engagement_dict) and tools/messages.py
(get_media_label, message_to_dict, format_message_line).
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history, peers
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.text import clean, clean_name
from soundstage.kernels.telegram.rules.times import format_spaced, iso

_QUOTE_SHOWN = 60
_LINKS = "https://t.me"
_GENERAL = 1
"""The topic of a forum for messages of no other topic; messages do not mention it."""
_NAMED_BY_KIND = ("photo", "voice", "video", "audio", "gif")


def sender_name(client: Client, message: Object) -> str:
    """Return the sender's title or name, or `Unknown`."""
    row = history.sender(client, message)
    name = peers.display_name(row) if row is not None else ""
    return clean_name(name) if name else "Unknown"


def sender_username(client: Client, message: Object) -> str | None:
    """Return the sender's username, if there is one."""
    row = history.sender(client, message)
    return clean_name(row["username"]) if row is not None and row.get("username") else None


def sender_info(client: Client, message: Object) -> str:
    """Return `Name (@username) [id=…]`."""
    username, sender_id = sender_username(client, message), message.get("sender_id")
    return (
        sender_name(client, message)
        + (f" (@{username})" if username else "")
        + (f" [id={sender_id}]" if sender_id else "")
    )


def plain(client: Client, message: Object) -> dict[str, Any]:
    """Return a message as lists and searches show it: `{id, sender, date, text}`."""
    return {
        "id": message["id"],
        "sender": sender_info(client, message),
        "date": iso(message["date"]),
        "text": clean(message.get("text")),
    }


def reply_to(message: Object) -> int | None:
    """Return the id of the answered message, or of the message's topic.

    To Telegram, a message in a topic answers the message that opened it. Source:
    https://core.telegram.org/constructor/messageReplyHeader
    """
    topic = message.get("topic_id")
    answered = message.get("reply_to_msg_id") or (topic if topic != _GENERAL else None)
    return int(answered) if answered else None


def reply_fields(message: Object) -> dict[str, Any]:
    """Return `{reply_to?, reply_quote?}` of a message."""
    fields: dict[str, Any] = {}
    if answered := reply_to(message):
        fields["reply_to"] = answered
    if quote := reply_quote(message):
        fields["reply_quote"] = quote
    return fields


def reply_quote(message: Object) -> dict[str, Any] | None:
    """Return the quoted part of another message: `{text, offset?}`."""
    if not message.get("quote_text"):
        return None
    quote: dict[str, Any] = {"text": clean(message["quote_text"])}
    if message.get("quote_offset") is not None:
        quote["offset"] = message["quote_offset"]
    return quote


def engagement(client: Client, message: Object) -> dict[str, int]:
    """Return `{views?, forwards?, reactions?}`, empty for a message without any."""
    counted = message.get("views") is not None or message.get("forwards") is not None
    # Telegram sends both or neither.
    counts = {name: int(message.get(name) or 0) for name in ("views", "forwards") if counted}
    where = {"chat_id": message["chat_id"], "message_id": message["id"]}
    if reactions := client.context.count("reaction", where):
        counts["reactions"] = reactions
    return counts


def media_label(client: Client, message: Object) -> str:
    """Return a short label of the attachment, empty for text messages."""
    media = client.context.get("media", (message["chat_id"], message["id"]))
    if media is None:
        return "contact" if message.get("contact") else "poll" if message.get("poll") else ""
    kind = media.get("kind")
    if kind == "sticker":
        return f"sticker {media.get('alt') or ''}".strip()
    if kind in _NAMED_BY_KIND:
        return str(kind)
    return f"document: {media['file_name']}" if media.get("file_name") else "document"


def buttons(client: Client, message: Object) -> list[Object]:
    """Return a message's inline buttons in their order."""
    where = {"chat_id": message["chat_id"], "message_id": message["id"]}
    return client.context.list("button", where, order="index")


def in_full(client: Client, message: Object) -> dict[str, Any]:
    """Return a message as get_history shows it, without absent parts."""
    record: dict[str, Any] = {"id": message["id"], "sender": sender_name(client, message), "date": iso(message["date"])}
    if message.get("sender_id") is not None:
        record["sender_id"] = message["sender_id"]
    if username := sender_username(client, message):
        record["username"] = username
    if history.sent_by(client, message):
        record["out"] = True
    if message.get("text"):
        record["text"] = clean(message["text"])
    if label := media_label(client, message):
        record["media"] = label
    if message.get("grouped_id"):
        record["grouped_id"] = message["grouped_id"]
    record |= reply_fields(message)
    if message.get("fwd_from") is not None:
        record["forwarded"] = _origin(client, message["fwd_from"]) or True
    if message.get("via_bot_id"):
        record["via_bot_id"] = message["via_bot_id"]
    if message.get("edit_date"):
        record["edited"] = iso(message["edit_date"])
    if message.get("pinned"):
        record["pinned"] = True
    if counts := engagement(client, message):
        record["engagement"] = counts
    if message.get("replies") is not None:
        record["comments"] = message["replies"]
    if texts := [button["text"] for button in buttons(client, message) if button.get("text")]:
        record["buttons"] = texts
    if urls := [part["url"] for part in message.get("entities") or () if part.get("url")]:
        record["link_urls"] = urls
    if message.get("action"):
        record["action"] = message["action"]
    if message.get("ttl_period"):
        record["ttl_period"] = message["ttl_period"]
    return record


def as_line(client: Client, message: Object) -> str:
    """Return a message as a line of get_messages."""
    parts = [f"ID: {message['id']}", sender_info(client, message), f"Date: {format_spaced(message['date'])}"]
    if answered := reply_to(message):
        parts.append(f"reply to {answered}")
    if quote := reply_quote(message):
        shown = quote["text"].replace("\n", " ")
        parts.append(f'quoting "{shown[:_QUOTE_SHOWN]}{"…" if len(shown) > _QUOTE_SHOWN else ""}"')
    if flags := _flags(client, message):
        parts.append(", ".join(flags))
    if counts := engagement(client, message):
        parts.append(", ".join(f"{name}:{count}" for name, count in counts.items()))
    parts.append(f"Message: {clean(message.get('text'))}".replace("\n", "\\n"))
    return " | ".join(parts)


def _flags(client: Client, message: Object) -> list[str]:
    flags = []
    if label := media_label(client, message):
        flags.append(f"📎 {label}")
    if message.get("grouped_id"):
        flags.append(f"album:{message['grouped_id']}")
    if message.get("fwd_from") is not None:
        flags.append("forwarded")
    if message.get("edit_date"):
        flags.append("edited")
    if message.get("via_bot_id"):
        flags.append("via_bot")
    if message.get("pinned"):
        flags.append("pinned")
    if count := sum(1 for button in buttons(client, message) if button.get("text")):
        flags.append(f"buttons:{count}")
    if message.get("action"):
        flags.append(f"service:{message['action']}")
    return flags


def _origin(client: Client, header: Object) -> dict[str, Any]:
    """Return the origin of a forwarded message: a user's name, or a channel with the link of the post."""
    record: dict[str, Any] = {}
    if header.get("date"):
        record["date"] = iso(header["date"])
    if header.get("from_name"):
        record["from_name"] = clean_name(header["from_name"])
    from_id = header.get("from_id")
    peer_row = peers.peer(client, int(from_id)) if from_id is not None else None
    if from_id is not None and from_id < 0:
        if peer_row is not None:
            if peer_row.get("title"):
                record["from_chat"] = clean_name(peer_row["title"])
            if peer_row.get("username"):
                record["from_username"] = peer_row["username"]
        record["from_chat_id"] = from_id
    elif peer_row is not None and peers.full_name(peer_row):
        record["from_user"] = clean_name(peers.full_name(peer_row))
    post = header.get("channel_post")
    if post is not None:
        record["channel_post"] = post
    if header.get("post_author"):
        record["post_author"] = clean_name(header["post_author"])
    if post is not None and (record.get("from_username") or record.get("from_chat_id") is not None):
        name = record.get("from_username") or f"c/{abs(record['from_chat_id']) % 10**10}"
        record["post_link"] = f"{_LINKS}/{name}/{post}"
    return record
