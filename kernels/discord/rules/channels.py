"""Channels: lookup, the matching class of discord.py, creation and deletion."""

from __future__ import annotations

import re
from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.discord.rules.audit import CHANNEL_CREATE, CHANNEL_DELETE, THREAD_DELETE, check_reason, note
from soundstage.kernels.discord.rules.errors import (
    DiscordError,
    PythonError,
    invalid_form,
    missing_access,
    missing_permissions,
    unknown,
)
from soundstage.kernels.discord.rules.identity import Bot
from soundstage.kernels.discord.rules.permissions import THREADS, may
from soundstage.kernels.discord.rules.snowflakes import new_snowflake, path_id

Method = Literal["send", "history", "fetch_message", "delete"]

TEXT, CATEGORY = 0, 4
_LONGEST_NAME = 100
_LONGEST_TOPIC = 1024
_MOST_CHANNELS = 500
# The classes of discord.py by channel type. https://github.com/Rapptz/discord.py (channel.py, `_channel_factory`)
_CLASSES = {
    0: "TextChannel",
    1: "DMChannel",
    2: "VoiceChannel",
    3: "GroupChannel",
    4: "CategoryChannel",
    5: "TextChannel",
    10: "Thread",
    11: "Thread",
    12: "Thread",
    13: "StageChannel",
    15: "ForumChannel",
    16: "ForumChannel",
}
_WITHOUT_MESSAGES = ("CategoryChannel", "ForumChannel")
_PRIVATE = ("DMChannel", "GroupChannel")


def fetch_channel(context: AppContext, bot: Bot, number: int) -> Object:
    """Perform GET /channels/{id} and select the class as discord.py does.

    Raises:
        DiscordError: 10003, 50001.
        PythonError: discord.py does not know the type.
    """
    row = context.get("channel", path_id(number, "channel_id"))
    if row is None:
        raise unknown("Channel")
    channel = {"type": TEXT, **row}
    if channel.get("no_access") or not may(context, bot, "view_channel", channel.get("guild_id"), channel):
        raise missing_access()
    if (kind := _CLASSES.get(channel["type"])) is None:
        raise PythonError(f"Unknown channel type {channel['type']} for channel ID {channel['id']}.")
    if kind not in _PRIVATE and "guild_id" not in channel:
        raise PythonError("'guild_id'")
    return channel


def needs_method(channel: Object, method: Method) -> None:
    """Require that the class of the channel has a method.

    Raises:
        PythonError: `'ForumChannel' object has no attribute 'send'`.
    """
    kind = _CLASSES[channel["type"]]
    if kind in (_PRIVATE if method == "delete" else _WITHOUT_MESSAGES):
        raise PythonError(f"{kind!r} object has no attribute {method!r}")


def create_text_channel(
    context: AppContext, bot: Bot, guild: Object, name: str | None, topic: str | None, reason: str
) -> Object:
    """Perform POST /guilds/{id}/channels; discord.py omits values without content.

    Raises:
        DiscordError: 50013, 50035 for the name or the topic, 30013.
    """
    if not may(context, bot, "manage_channels", guild["id"]):
        raise missing_permissions()
    if name is None:
        raise invalid_form("name", "This field is required")
    shown = normalize_name(name)
    if not shown or len(name) > _LONGEST_NAME:
        raise invalid_form("name", f"Must be between 1 and {_LONGEST_NAME} in length.")
    if topic is not None and len(topic) > _LONGEST_TOPIC:
        raise invalid_form("topic", f"Must be {_LONGEST_TOPIC} or fewer in length.")
    others = context.list("channel", {"guild_id": guild["id"]})
    if sum(other.get("type") not in THREADS for other in others) >= _MOST_CHANNELS:
        raise DiscordError("limit", 400, 30013, f"Maximum number of guild channels reached ({_MOST_CHANNELS})")
    channel = {
        "id": new_snowflake(context),
        "guild_id": guild["id"],
        "type": TEXT,
        "name": shown,
        **({"topic": topic} if topic else {}),
        "position": max((other.get("position", -1) for other in others), default=-1) + 1,
        "permission_overwrites": [],
    }
    note(context, bot, guild["id"], CHANNEL_CREATE, channel["id"], reason)
    return context.create("channel", channel)


def delete_channel(context: AppContext, bot: Bot, channel: Object, reason: str) -> None:
    """Perform DELETE /channels/{id}, including messages and threads.

    The channels of a category remain without one.

    Raises:
        DiscordError: 50013, 50035 for the reason, 50074.
    """
    is_thread = channel["type"] in THREADS
    if not may(context, bot, "manage_threads" if is_thread else "manage_channels", channel["guild_id"], channel):
        raise missing_permissions()
    check_reason(reason)
    guild = context.get("guild", channel["guild_id"]) or {}
    if channel["id"] in (guild.get("rules_channel_id"), guild.get("public_updates_channel_id")):
        raise DiscordError("conflict", 400, 50074, "Cannot delete a channel required for Community guilds")
    for below in context.list("channel", {"parent_id": channel["id"]}):
        if channel["type"] == CATEGORY:
            context.update("channel", below["id"], {"parent_id": None})
        else:
            context.delete("channel", below["id"])
    context.delete("channel", channel["id"])
    note(context, bot, channel["guild_id"], THREAD_DELETE if is_thread else CHANNEL_DELETE, channel["id"], reason)


def normalize_name(name: str) -> str:
    """Return a text channel's name in Discord's form: lower case, hyphens for spaces, no other signs than _ and -."""
    return re.sub(r"[^\w-]", "", re.sub(r"\s", "-", name.lower()))
