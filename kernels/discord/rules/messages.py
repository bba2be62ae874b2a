"""Messages of a channel: lookup, sending, the latest ones, and their representation."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.discord.rules.errors import (
    DiscordError,
    invalid_form,
    missing_access,
    missing_permissions,
    unknown,
)
from soundstage.kernels.discord.rules.identity import Bot, shown_name, user_or_deleted
from soundstage.kernels.discord.rules.permissions import THREADS, Permission, may
from soundstage.kernels.discord.rules.snowflakes import created_at, new_snowflake, path_id

_LONGEST = 2000


def fetch_message(context: AppContext, bot: Bot, channel: Object, number: int) -> Object:
    """Perform GET /channels/{id}/messages/{id}.

    Raises:
        DiscordError: 10008; 50001 if the bot may not read the message history.
    """
    message_id = path_id(number, "message_id")
    if not may(context, bot, "read_message_history", channel.get("guild_id"), channel):
        raise missing_access()
    message = context.get("message", message_id)
    if message is None or message.get("channel_id") != channel["id"]:
        raise unknown("Message")
    return message


def send(context: AppContext, bot: Bot, channel: Object, content: Any) -> Object:
    """Perform POST /channels/{id}/messages; Discord trims whitespace.

    Raises:
        DiscordError: 50013, 50035 for more than 2000 characters, 50006.
    """
    permission: Permission = "send_messages_in_threads" if channel["type"] in THREADS else "send_messages"
    if not may(context, bot, permission, channel.get("guild_id"), channel):
        raise missing_permissions()
    text = "" if content is None else str(content)
    if len(text) > _LONGEST:
        raise invalid_form("content", f"Must be {_LONGEST} or fewer in length.")
    if not (text := text.strip()):
        raise DiscordError("invalid", 400, 50006, "Cannot send an empty message")
    message_id = new_snowflake(context)
    return context.create(
        "message",
        {
            "id": message_id,
            "channel_id": channel["id"],
            "author_id": bot.user_id,
            "type": 0,
            "content": text,
            "timestamp": created_at(message_id),
            "reactions": [],
        },
    )


def latest(context: AppContext, bot: Bot, channel: Object, limit: int) -> list[Object]:
    """Perform GET /channels/{id}/messages, newest first; empty if the bot may not read the history."""
    if limit < 1 or not may(context, bot, "read_message_history", channel.get("guild_id"), channel):
        return []
    listed = context.list("message", {"channel_id": channel["id"]})
    return sorted(listed, key=lambda message: int(message["id"]), reverse=True)[:limit]


def format_message(context: AppContext, message: Object) -> str:
    """Format a message as read_messages does, in two lines; the time is that of its id."""
    author = shown_name(user_or_deleted(context, message.get("author_id")))
    reactions = ", ".join(f"{_emoji_shown(r['emoji'])}({r['count']})" for r in message.get("reactions") or [])
    line = f"{author} ({created_at(message['id'])}): {message.get('content') or ''}"
    return f"{line}\nReactions: {reactions or 'No reactions'}"


def _emoji_shown(emoji: Object) -> str:
    """Return an emoji's name, or the id of a deleted custom emoji, which has no name."""
    return str(emoji.get("name") or emoji.get("id"))
