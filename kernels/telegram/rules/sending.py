"""Writing to a chat: permission, valid texts, and the resulting message.

Source: Telethon's client/messages.py (send_message), and Telegram's documentation of messages.sendMessage
(https://core.telegram.org/method/messages.sendMessage) for its errors.
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, dialogs, history, markup, peers
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.text import json_line
from soundstage.kernels.telegram.rules.times import now_iso

LONGEST = 4096
_RICH = ("rich", "rich_md", "rich_markdown", "rich_html")


def may_write(client: Client, peer: Object) -> None:
    """Require the right to write to a chat.

    Raises:
        Failed: YOU_BLOCKED_USER; CHAT_WRITE_FORBIDDEN if the account is not in the chat or only admins may write;
            CHAT_ADMIN_REQUIRED in a channel.
    """
    if peers.is_user(peer):
        if peer.get("blocked"):
            raise Failed("YOU_BLOCKED_USER")
        return
    if not chats.is_member(client, peer):
        raise Failed("CHAT_WRITE_FORBIDDEN")
    if chats.is_admin(client, peer):
        return
    if peer.get("type") == "channel":
        raise Failed("CHAT_ADMIN_REQUIRED")
    default = client.context.get("default_permission", peer["id"]) or {}
    if peer.get("read_only") or default.get("send_messages") is False:
        raise Failed("CHAT_WRITE_FORBIDDEN")


def checked_text(text: str) -> str:
    """Return a message's text as Telegram stores it.

    Raises:
        Failed: MESSAGE_EMPTY, MESSAGE_TOO_LONG.
    """
    text = text.strip()
    if not text:
        raise Failed("MESSAGE_EMPTY")
    if len(text) > LONGEST:
        raise Failed("MESSAGE_TOO_LONG")
    return text


def is_rich(parse_mode: str | None) -> bool:
    """Return whether a parse mode requests a rich message, which only Premium accounts may send."""
    return parse_mode is not None and parse_mode.lower() in _RICH


def needs_premium(client: Client, action: str) -> None:
    """Require Premium for a rich message.

    Raises:
        Refusal: JSON with the reason; nothing is sent.
    """
    if client.me.get("premium"):
        return
    detail = (
        f"{action} with rich formatting requires Telegram Premium on this account. Nothing was sent. Reformat without "
        "rich-only blocks (tables, headings, formulas) and retry with parse_mode='md' or 'html'."
    )
    refused = {"sent": False, "reason": "telegram_premium_required", "detail": detail}
    raise Refusal("permission", json_line(refused))


def send_text(
    client: Client, peer: Object, text: str, parse_mode: str | None, *, reply_to: int | None = None
) -> Object:
    """Send a text with the markup of a parse mode.

    Raises:
        Failed: The mode is unknown, the text is empty or too long, the answered message does not exist, or the account
            may not
            write.
    """
    parsed, entities = markup.parse(text, parse_mode)
    if not parsed:
        raise Failed("ValueError", "The message cannot be empty unless a file is provided")
    may_write(client, peer)
    parsed = checked_text(parsed)
    if reply_to is not None and history.find(client, peer["id"], reply_to) is None:
        raise Failed("MESSAGE_ID_INVALID")
    return put(client, peer, parsed, **_given(entities=entities or None, reply_to_msg_id=reply_to))


def put(client: Client, peer: Object, text: str, **fields: Any) -> Object:
    """Add a message of the account to a chat and move the chat to the top of the lists, without checks.

    A post in a channel belongs to the channel and starts with one view.
    """
    is_post = peer.get("type") == "channel"
    row = {
        **_given(**history.place(client, peer["id"])),
        "id": history.next_id(client, peer["id"]),
        "sender_id": peer["id"] if is_post else client.id,
        "text": text,
        "date": now_iso(client.context),
        **({"views": 1, "forwards": 0} if is_post else {}),
        **fields,
    }
    message = client.context.create("message", row)
    dialogs.to_top(client, peer["id"])
    dialogs.count_unread(client, peer, message)
    return message


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
