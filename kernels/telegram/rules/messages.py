"""How the server shows messages: their sender, their media, and the three forms that its tools use.

Source: telegram_mcp/runtime.py (get_sender_name, get_sender_info, get_engagement_dict) and tools/messages.py (get_media_label,
message_to_dict, format_message_line).
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history, peers
from soundstage.kernels.telegram.rules.moments import iso, spaced
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.text import clean, clean_name

_QUOTE_SHOWN = 60
_LINKS = "https://t.me"
_GENERAL = 1
"""The topic of a forum that is not told: what stands in no other."""
_NAMED_BY_KIND = ("photo", "voice", "video", "audio", "gif")


def sender_name(client: Client, message: Object) -> str:
    """The sender's title or name, `Unknown` where there is none."""
    found = history.sender(client, message)
    name = peers.display_name(found) if found is not None else ""
    return clean_name(name) if name else "Unknown"


def sender_username(client: Client, message: Object) -> str | None:
    found = history.sender(client, message)
    return clean_name(found["username"]) if found is not None and found.get("username") else None


def sender_info(client: Client, message: Object) -> str:
    """`Name (@username) [id=…]`."""
    username, sender_id = sender_username(client, message), message.get("sender_id")
    return (
        sender_name(client, message)
        + (f" (@{username})" if username else "")
        + (f" [id={sender_id}]" if sender_id else "")
    )


def plain(client: Client, message: Object) -> dict[str, Any]:
    """What lists and searches show of a message: {id, sender, date, text}."""
    return {
        "id": message["id"],
        "sender": sender_info(client, message),
        "date": iso(message["date"]),
        "text": clean(message.get("text")),
    }


def reply_to(message: Object) -> int | None:
    """The message that one answers, or the topic that it stands in: to Telegram it is an answer to what began the topic.

    Source: https://core.telegram.org/constructor/messageReplyHeader
    """
    topic = message.get("topic_id")
    answered = message.get("reply_to_msg_id") or (topic if topic != _GENERAL else None)
    return int(answered) if answered else None


def reply_fields(message: Object) -> dict[str, Any]:
    """{reply_to?, reply_quote?} of a message."""
    fields: dict[str, Any] = {}
    if answered := reply_to(message):
        fields["reply_to"] = answered
    if quote := reply_quote(message):
        fields["reply_quote"] = quote
    return fields


def reply_quote(message: Object) -> dict[str, Any] | None:
    """The part of another message that this one quotes: {text, offset?}."""
    if not message.get("quote_text"):
        return None
    quote: dict[str, Any] = {"text": clean(message["quote_text"])}
    if message.get("quote_offset") is not None:
        quote["offset"] = message["quote_offset"]
    return quote


def engagement(client: Client, message: Object) -> dict[str, int]:
    """{views?, forwards?, reactions?}; empty for a message that has none of it."""
    counted = message.get("views") is not None or message.get("forwards") is not None
    # Telegram sends both or neither.
    found = {name: int(message.get(name) or 0) for name in ("views", "forwards") if counted}
    where = {"chat_id": message["chat_id"], "message_id": message["id"]}
    if reactions := client.context.count("reaction", where):
        found["reactions"] = reactions
    return found


def media_label(client: Client, message: Object) -> str:
    """What is attached, in a word or two; empty for text alone."""
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
    """A message's inline buttons, in their order."""
    where = {"chat_id": message["chat_id"], "message_id": message["id"]}
    return client.context.list("button", where, order="index")


def in_full(client: Client, message: Object) -> dict[str, Any]:
    """All that get_history tells of a message; what there is not is left out."""
    told: dict[str, Any] = {"id": message["id"], "sender": sender_name(client, message), "date": iso(message["date"])}
    if message.get("sender_id") is not None:
        told["sender_id"] = message["sender_id"]
    if username := sender_username(client, message):
        told["username"] = username
    if history.sent_by(client, message):
        told["out"] = True
    if message.get("text"):
        told["text"] = clean(message["text"])
    if label := media_label(client, message):
        told["media"] = label
    if message.get("grouped_id"):
        told["grouped_id"] = message["grouped_id"]
    told |= reply_fields(message)
    if message.get("fwd_from") is not None:
        told["forwarded"] = _origin(client, message["fwd_from"]) or True
    if message.get("via_bot_id"):
        told["via_bot_id"] = message["via_bot_id"]
    if message.get("edit_date"):
        told["edited"] = iso(message["edit_date"])
    if message.get("pinned"):
        told["pinned"] = True
    if counts := engagement(client, message):
        told["engagement"] = counts
    if message.get("replies") is not None:
        told["comments"] = message["replies"]
    if texts := [button["text"] for button in buttons(client, message) if button.get("text")]:
        told["buttons"] = texts
    if urls := [part["url"] for part in message.get("entities") or () if part.get("url")]:
        told["link_urls"] = urls
    if message.get("action"):
        told["action"] = message["action"]
    if message.get("ttl_period"):
        told["ttl_period"] = message["ttl_period"]
    return told


def as_line(client: Client, message: Object) -> str:
    """A message as a line of get_messages."""
    parts = [f"ID: {message['id']}", sender_info(client, message), f"Date: {spaced(message['date'])}"]
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
    """Where a forwarded message comes from: a user by name, a channel with the link of the post."""
    told: dict[str, Any] = {}
    if header.get("date"):
        told["date"] = iso(header["date"])
    if header.get("from_name"):
        told["from_name"] = clean_name(header["from_name"])
    from_id = header.get("from_id")
    found = peers.peer(client, int(from_id)) if from_id is not None else None
    if from_id is not None and from_id < 0:
        if found is not None:
            if found.get("title"):
                told["from_chat"] = clean_name(found["title"])
            if found.get("username"):
                told["from_username"] = found["username"]
        told["from_chat_id"] = from_id
    elif found is not None and peers.full_name(found):
        told["from_user"] = clean_name(peers.full_name(found))
    post = header.get("channel_post")
    if post is not None:
        told["channel_post"] = post
    if header.get("post_author"):
        told["post_author"] = clean_name(header["post_author"])
    if post is not None and (told.get("from_username") or told.get("from_chat_id") is not None):
        name = told.get("from_username") or f"c/{abs(told['from_chat_id']) % 10**10}"
        told["post_link"] = f"{_LINKS}/{name}/{post}"
    return told
