"""Telegram as people see it: the list of chats, and an open one with its bubbles, pinned messages and topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import AppError
from soundstage.kernels.telegram.rules import dialogs, history, peers
from soundstage.kernels.telegram.rules.chats import count_members
from soundstage.kernels.telegram.rules.server import Client, server_of
from soundstage.kernels.telegram.rules.times import parse_time
from soundstage.servers.telegram.view.markup import pieces
from soundstage.servers.view import Query, View

_MOST_MESSAGES = 60
_SHOWN_BEHIND = 20
_HUES = 7
_SIGNS = {
    "photo": "🖼", "video": "🎞", "gif": "GIF", "voice": "🎤", "audio": "🎵", "sticker": "✨", "document": "📄",
}  # fmt: skip


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Render the list of chats and the open `chat`, or its `topic`, around `message` or up to `before`."""
    client = _client(context)
    if client is None:
        return View("chats.html.jinja", {"me": None, "chats": [], "chat": None})
    listed = [_line(client, dialog, peer) for dialog, peer in dialogs.list_dialogs(client)]
    data: dict[str, Any] = {"me": peers.full_name(client.me), "chats": listed, "chat": None}
    opened = _number(query.get("chat"))
    wanted = opened if opened is not None else (listed[0]["id"] if listed else None)
    peer = None if wanted is None else peers.peer(client, wanted)
    if peer is not None:
        data |= _opened(client, peer, query)
    return View("chats.html.jinja", data)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the page of a chat or user, of a message and its parts, or of a chat's dialog, draft or topic."""
    if entity in ("chat", "user"):
        return {"chat": str(value.get("id"))}
    if entity == "message":
        chat, message = value.get("chat_id"), value.get("id")
    elif entity in ("reaction", "media", "button", "read_receipt"):
        chat, message = value.get("chat_id"), value.get("message_id")
    elif entity in ("dialog", "draft", "scheduled_message", "topic"):
        return {"chat": str(value.get("chat_id"))}
    else:
        return None
    return None if value.get("owner_id") is not None else {"chat": str(chat), "message": str(message)}


def _client(context: AppContext) -> Client | None:
    """Return the client of the first account."""
    server = server_of(context)
    try:
        return server_of(context, server.labels()[0]).client()
    except AppError:
        return None


def _line(client: Client, dialog: Object, peer: Object) -> dict[str, Any]:
    """Return the entry of a chat in the list."""
    last = next(iter(client.context.list("message", history.place(client, peer["id"]), order="-id", limit=1)), None)
    draft = client.own_rows.get("draft", peer["id"])
    who = ""
    if last is not None and not peers.is_user(peer) and last.get("sender_id") != peer["id"]:
        who = "You" if history.sent_by(client, last) else _first_name(client, last)
    return {
        **_face(client, peer),
        "last": "" if last is None else _summary(client, last),
        "who": who,
        "at": None if last is None else _parsed_time(last.get("date")),
        "draft": (draft or {}).get("message") or "",
        "unread": dialog.get("unread_count") or 0,
        "mentioned": bool(dialog.get("unread_mentions_count")),
        "marked": bool(dialog.get("unread_mark")),
        "muted": bool(dialog.get("muted")),
        "archived": bool(dialog.get("archived")),
    }


def _face(client: Client, peer: Object) -> dict[str, Any]:
    own = peer["id"] == client.id
    name = "Saved Messages" if own else peers.display_name(peer) or "Deleted Account"
    return {
        "id": peer["id"],
        "name": name,
        "initial": "🔖" if own else name[:1].upper(),
        "hue": peers.bare_id(int(peer["id"])) % _HUES,
        "kind": "saved" if own else "bot" if peer.get("bot") else "user" if peers.is_user(peer) else str(peer["type"]),
        "verified": bool(peer.get("verified")),
    }


def _opened(client: Client, peer: Object, query: Query) -> dict[str, Any]:
    context, where = client.context, history.place(client, peer["id"])
    topics = context.list("topic", {"chat_id": peer["id"]}, order="id", limit=100)
    topic = _number(query.get("topic"))
    if topic is not None:
        where["topic_id"] = topic
    before = _number(query.get("before")) or _behind(context, where, _number(query.get("message")))
    messages = context.list(
        "message", {**where, **({"id <": before} if before else {})}, order="-id", limit=_MOST_MESSAGES + 1
    )
    shown = list(reversed(messages[:_MOST_MESSAGES]))
    pinned = context.list("message", {**where, "pinned": True}, order="-id", limit=3)
    draft = client.own_rows.get("draft", peer["id"])
    return {
        "chat": _face(client, peer),
        "about": _about(peer),
        "text": peer.get("about") or "",
        "username": peer.get("username") or "",
        "topics": topics,
        "topic": topic,
        "titles": {t["id"]: t.get("title") for t in topics},
        "pinned": [{"id": m["id"], "text": _summary(client, m)} for m in pinned],
        "messages": [_bubble(client, peer, m) for m in shown],
        "older": shown[0]["id"] if len(messages) > _MOST_MESSAGES else None,
        "draft": (draft or {}).get("message") or "",
        "scheduled": [
            {"text": row.get("text") or "", "at": _parsed_time(row.get("date"))}
            for row in client.own_rows.list("scheduled_message", {"chat_id": peer["id"]})[:20]
        ],
    }


def _about(peer: Object) -> str:
    """Return the line below a chat's name."""
    if peers.is_user(peer):
        status = peer.get("status") or {}
        return "bot" if peer.get("bot") else f"last seen {status['type']}" if status.get("type") == "recently" else ""
    word = "subscriber" if peer.get("type") == "channel" else "member"
    count = count_members(peer)
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _behind(context: AppContext, where: Mapping[str, Any], message_id: int | None) -> int | None:
    """Return the id up to which messages are shown so that one of them is included; None for the newest."""
    if message_id is None:
        return None
    later = context.list("message", {**where, "id >": message_id}, order="id", limit=_SHOWN_BEHIND + 1)
    return int(later[_SHOWN_BEHIND]["id"]) if len(later) > _SHOWN_BEHIND else None


def _bubble(client: Client, peer: Object, message: Object) -> dict[str, Any]:
    context, key = client.context, {"chat_id": message["chat_id"], "message_id": message["id"]}
    sender = history.sender(client, message)
    given = context.list("reaction", key, limit=500)
    counted = Counter(str(r.get("emoji") or "✦") for r in given)
    own_rows = {str(r.get("emoji") or "✦") for r in given if r["user_id"] == client.id}
    answered = message.get("reply_to_msg_id")
    first = None if answered is None else history.find(client, peer["id"], int(answered))
    rows: dict[int, list[str]] = {}
    for button in context.list("button", key, order="index", limit=100):
        rows.setdefault(int(button.get("row") or 0), []).append(str(button.get("text") or ""))
    poll = message.get("poll")
    return {
        "key": (message["chat_id"], message["id"]),
        "id": message["id"],
        "out": history.sent_by(client, message),
        "sender": "" if sender is None else peers.display_name(sender),
        "hue": peers.bare_id(int(message.get("sender_id") or 0)) % _HUES,
        "at": _parsed_time(message.get("date")),
        "pieces": pieces(message.get("text") or "", message.get("entities") or []),
        "action": message.get("action") or "",
        "reply": None if answered is None else _quoted(client, message, first),
        "forwarded": _origin(client, message.get("fwd_from")),
        "media": _card(context.get("media", (message["chat_id"], message["id"]))),
        "contact": message.get("contact"),
        "poll": None if not poll else {"question": poll.get("question") or "", "options": poll.get("options") or []},
        "buttons": list(rows.values()),
        "reactions": [(emoji, count, emoji in own_rows) for emoji, count in counted.most_common()],
        "topic": message.get("topic_id"),
        "views": message.get("views"),
        "edited": bool(message.get("edit_date")),
        "pinned": bool(message.get("pinned")),
    }


def _quoted(client: Client, message: Object, first: Object | None) -> dict[str, str]:
    """Return the answered message as the reply shows it."""
    if first is None:
        return {"sender": "", "text": message.get("quote_text") or "Deleted message"}
    sender = history.sender(client, first)
    name = "" if sender is None else peers.display_name(sender)
    return {"sender": name, "text": message.get("quote_text") or _summary(client, first)}


def _origin(client: Client, header: Object | None) -> str:
    """Return who a message was forwarded from, or an empty text."""
    if header is None:
        return ""
    origin = peers.peer(client, int(header["from_id"])) if header.get("from_id") is not None else None
    name = header.get("from_name") or (None if origin is None else peers.display_name(origin))
    return str(name or "somebody")


def _card(media: Object | None) -> dict[str, str] | None:
    """Return an attachment as a card: symbol, name and size."""
    if media is None:
        return None
    kind = str(media.get("kind") or "document")
    size = media.get("size")
    details = [f"{media['width']} × {media['height']}" if media.get("width") and media.get("height") else ""]
    details += [media.get("mime_type") or "", "" if size is None else _bytes(int(size))]
    sign = media.get("alt") if kind == "sticker" and media.get("alt") else _SIGNS.get(kind, "📄")
    return {
        "kind": kind,
        "sign": str(sign),
        "name": str(media.get("file_name") or kind),
        "told": ", ".join(filter(None, details)),
    }


def _bytes(size: int) -> str:
    return f"{size} B" if size < 1024 else f"{size / 1024:.1f} KB" if size < 1024**2 else f"{size / 1024**2:.1f} MB"


def _summary(client: Client, message: Object) -> str:
    """Return a message in one line."""
    text = " ".join((message.get("text") or "").split())
    if text:
        return text
    media = client.context.get("media", (message["chat_id"], message["id"]))
    if media is not None:
        return str(media.get("file_name") or media.get("kind") or "document").capitalize()
    if message.get("poll"):
        return f"📊 {message['poll'].get('question') or ''}"
    return "Contact" if message.get("contact") else str(message.get("action") or "")


def _first_name(client: Client, message: Object) -> str:
    sender = history.sender(client, message)
    return "" if sender is None else peers.short_name(sender) or ""


def _parsed_time(text: str | None) -> datetime | None:
    try:
        return parse_time(text or "")
    except ValueError:
        return None


def _number(text: str | None) -> int | None:
    """Parse a whole number of 64 bits; return None for anything else."""
    try:
        number = int(text or "")
    except ValueError:
        return None
    return number if -(2**63) <= number < 2**63 else None
