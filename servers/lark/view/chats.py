"""The chats, most recently active first, and the messages of one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

import orjson

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import from_ms
from soundstage.contexts.engine.schema import Object
from soundstage.servers.lark.view.people import names, zone
from soundstage.servers.view import Query, View

_MOST_CHATS = 150
_MOST_MESSAGES = 60
_SHOWN_BEHIND = 20
_MENTION = re.compile(r"@_user_\d+|@_all|<at user_id=\"[^\"]*\">[^<]*</at>")
_ATTACHED = {"image": "Picture", "file": "File", "media": "Video", "audio": "Voice message", "sticker": "Sticker"}


@dataclass(frozen=True, slots=True)
class Bubble:
    """A message in a chat; `parts` are paragraphs of (kind, text): text, mention, link, attached."""

    id: str
    sender: str
    is_bot: bool
    at: datetime | None
    title: str = ""
    parts: list[list[tuple[str, str]]] = field(default_factory=list)
    answers: str | None = None
    edited: bool = False
    recalled: bool = False


def show(context: AppContext, query: Query) -> View:
    """Render the chats and the open one."""
    people, at = names(context), zone(context)
    listed = [_listed(context, chat, people, at) for chat in context.list("chat", limit=_MOST_CHATS)]
    listed.sort(key=lambda c: c["last_ms"], reverse=True)
    wanted = query.get("chat") or (listed[0]["id"] if listed else "")
    chat = context.get("chat", wanted)
    data: dict[str, Any] = {"chats": listed, "chat": None}
    if chat is not None:
        before = query.get("before") if query.get("before", "").isdigit() else _behind(context, query.get("message"))
        where = {"chat_id": wanted, **({"create_time <": before} if before else {})}
        messages = context.list("message", where, order="-create_time", limit=_MOST_MESSAGES + 1)
        more = messages[_MOST_MESSAGES - 1]["create_time"] if len(messages) > _MOST_MESSAGES else None
        bubbles = [_bubble(context, m, people, at) for m in reversed(messages[:_MOST_MESSAGES])]
        members = context.count("chat_member", {"chat_id": wanted}) or len(chat.get("member_ids") or [])
        name = _name(context, chat, people)
        data |= {"chat": chat, "name": name, "bubbles": bubbles, "members": members, "older": more}
    return View("chats.html.jinja", data, at)


def _behind(context: AppContext, message_id: str | None) -> str | None:
    """Return the time up to which messages are shown so that one of them is included; None for the newest."""
    message = context.get("message", message_id) if message_id else None
    if message is None or not message.get("create_time"):
        return None
    where = {"chat_id": message.get("chat_id"), "create_time >": message["create_time"]}
    later = context.list("message", where, order="create_time", limit=_SHOWN_BEHIND)
    return str(later[-1]["create_time"]) if len(later) == _SHOWN_BEHIND else None


def _listed(context: AppContext, chat: Object, people: Mapping[str, str], at: tzinfo) -> dict[str, Any]:
    last = context.first("message", {"chat_id": chat["chat_id"]}, order="-create_time")
    bubble = None if last is None else _bubble(context, last, people, at)
    text = "" if bubble is None else " ".join(t for part in bubble.parts for _, t in part)[:90]
    return {
        "id": chat["chat_id"],
        "name": _name(context, chat, people),
        "last": "" if bubble is None else f"{bubble.sender}: {bubble.title or text}",
        "last_ms": _ms(None if last is None else last.get("create_time")),
        "at": None if bubble is None else bubble.at,
    }


def _name(context: AppContext, chat: Object, people: Mapping[str, str]) -> str:
    if chat.get("name"):
        return str(chat["name"])
    members = chat.get("member_ids") or [
        m["member_id"] for m in context.list("chat_member", {"chat_id": chat["chat_id"]}, limit=4)
    ]
    return ", ".join(people.get(m, str(m)) for m in members[:4] if isinstance(m, str)) or str(chat["chat_id"])


def _bubble(context: AppContext, message: Object, people: Mapping[str, str], at: tzinfo) -> Bubble:
    sender = message.get("sender") or {}
    title, parts = _content(message)
    above = context.get("message", message["parent_id"]) if message.get("parent_id") else None
    return Bubble(
        id=message["message_id"],
        sender=people.get(sender.get("id", ""), str(sender.get("id") or "somebody")),
        is_bot=sender.get("sender_type") == "app",
        at=_message_time(message.get("create_time"), at),
        title=title,
        parts=parts,
        answers=None if above is None else _answered(above, people),
        edited=bool(message.get("updated")),
        recalled=bool(message.get("deleted")),
    )


def _answered(message: Object, people: Mapping[str, str]) -> str:
    title, parts = _content(message)
    sender = people.get((message.get("sender") or {}).get("id", ""), "somebody")
    return f"{sender}: {title or ' '.join(t for part in parts for _, t in part)}"[:90]


def _content(message: Object) -> tuple[str, list[list[tuple[str, str]]]]:
    """Return a message's title and paragraphs."""
    kind = str(message.get("msg_type"))
    raw = (message.get("body") or {}).get("content")
    try:
        content = orjson.loads(raw) if isinstance(raw, str) else {}
    except orjson.JSONDecodeError:
        return "", [[("text", str(raw))]]
    if not isinstance(content, dict):
        return "", [[("text", str(raw))]]
    mentions = {m.get("key"): m.get("name") for m in message.get("mentions") or [] if isinstance(m, dict)}
    if kind == "text":
        return "", [_with_mentions(line, mentions) for line in str(content.get("text", "")).split("\n")]
    if kind == "post":
        inner = content if "content" in content else next((v for v in content.values() if isinstance(v, dict)), {})
        lines = inner.get("content") or []
        whole = [line for line in lines if isinstance(line, list)]
        return str(inner.get("title") or ""), [[_piece(p) for p in line if isinstance(p, dict)] for line in whole]
    if kind in _ATTACHED:
        return "", [[("attached", f"{_ATTACHED[kind]} {content.get('file_name') or ''}".strip())]]
    if kind == "interactive":
        header = (content.get("header") or {}).get("title") or {} if isinstance(content.get("header"), dict) else {}
        return str(header.get("content") or "Card") if isinstance(header, dict) else "Card", []
    return "", [[("attached", kind)]]


def _with_mentions(text: str, mentions: Mapping[Any, Any]) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = []
    end = 0
    for match in _MENTION.finditer(text):
        pieces += [("text", text[end : match.start()])]
        key = match.group()
        shown = "all" if key == "@_all" else mentions.get(key) or re.sub(r"<[^>]*>", "", key).lstrip("@")
        pieces.append(("mention", f"@{shown}"))
        end = match.end()
    return [p for p in (*pieces, ("text", text[end:])) if p[1]]


def _piece(piece: Object) -> tuple[str, str]:
    match piece.get("tag"):
        case "at":
            return "mention", f"@{piece.get('user_name') or piece.get('user_id') or 'somebody'}"
        case "a":
            return "link", str(piece.get("text") or piece.get("href") or "")
        case "img" | "media" | "emotion":
            return "attached", str(piece.get("emoji_type") or "Picture")
        case "hr":
            return "text", "―――"
        case _:
            return "text", str(piece.get("text") or "")


def _ms(value: object) -> int:
    return int(value) if isinstance(value, str) and value.isdigit() and len(value) < 15 else 0


def _message_time(value: object, at: tzinfo) -> datetime | None:
    return from_ms(ms).astimezone(at) if (ms := _ms(value)) else None
