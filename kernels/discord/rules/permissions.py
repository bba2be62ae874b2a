"""The bot's permissions: its roles, the overwrites of a channel, and the state's restrictions.

Source: https://github.com/discord/discord-api-docs (Topics, Permissions).
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.discord.rules.identity import Bot

Permission = Literal[
    "manage_channels",
    "add_reactions",
    "view_channel",
    "send_messages",
    "read_message_history",
    "connect",
    "manage_roles",
    "manage_threads",
    "send_messages_in_threads",
]

_BITS: dict[Permission, int] = {
    "manage_channels": 1 << 4,
    "add_reactions": 1 << 6,
    "view_channel": 1 << 10,
    "send_messages": 1 << 11,
    "read_message_history": 1 << 16,
    "connect": 1 << 20,
    "manage_roles": 1 << 28,
    "manage_threads": 1 << 34,
    "send_messages_in_threads": 1 << 38,
}
_ADMINISTRATOR = 1 << 3
_ALL = -1
_LEFT_IN_TIMEOUT = _BITS["view_channel"] | _BITS["read_message_history"]
_VOICE = (2, 13)
THREADS = (10, 11, 12)


def is_withheld(context: AppContext, permission: Permission) -> bool:
    """Return whether the state denies the bot a permission, whatever its roles allow."""
    return (context.first("bot_permissions") or {}).get(permission) is False


def may(
    context: AppContext, bot: Bot, permission: Permission, guild_id: str | None, channel: Object | None = None
) -> bool:
    """Return whether the bot has a permission in a guild or a channel; in direct messages it has all."""
    if is_withheld(context, permission):
        return False
    if not bot.has_row or guild_id is None:
        return True
    member = context.get("member", (guild_id, bot.user_id))
    if member is None:
        return False
    return bool(_granted(context, guild_id, member, channel) & _BITS[permission])


def outranks(context: AppContext, bot: Bot, guild: Object, role: Object) -> bool:
    """Return whether a role is below the bot's highest one; of two at one position, the older one is higher."""
    top = (context.first("bot_permissions") or {}).get("top_role_position")
    if top is not None and _position(role) >= top:
        return False
    if not bot.has_row or guild.get("owner_id") == bot.user_id:
        return True
    member = context.get("member", (guild["id"], bot.user_id)) or {}
    own = [_rank(role_) for role_ in _roles_of(context, guild["id"], member)]
    return _rank(role) < max(own, default=(0, 0))


def _granted(context: AppContext, guild_id: str, member: Object, channel: Object | None) -> int:
    """Return the permission bits of a member in a guild or a channel."""
    guild = context.get("guild", guild_id) or {}
    if guild.get("owner_id") == member["user_id"]:
        return _ALL
    everyone = context.get("role", guild_id) or {}
    granted = int(everyone.get("permissions") or 0)
    for role in _roles_of(context, guild_id, member):
        granted |= int(role.get("permissions") or 0)
    if granted & _ADMINISTRATOR:
        return _ALL
    if channel is not None:
        granted = _overwritten(granted, _overwrites_of(context, channel), guild_id, member)
        if channel.get("type") in _VOICE and not granted & _BITS["connect"]:
            granted &= _BITS["view_channel"]
    if _is_timed_out(context, member):
        granted &= _LEFT_IN_TIMEOUT
    return granted


def _overwritten(granted: int, overwrites: list[Object], guild_id: str, member: Object) -> int:
    """Apply a channel's overwrites: first for everyone, then for all roles at once, then the member's own."""
    role_ids = member.get("roles") or []
    steps = [
        [o for o in overwrites if o["id"] == guild_id],
        [o for o in overwrites if o["id"] in role_ids and o["id"] != guild_id],
        [o for o in overwrites if o["id"] == member["user_id"]],
    ]
    for step in steps:
        for overwrite in step:
            granted &= ~int(overwrite.get("deny") or 0)
        for overwrite in step:
            granted |= int(overwrite.get("allow") or 0)
    return granted


def _overwrites_of(context: AppContext, channel: Object) -> list[Object]:
    """Return a channel's overwrites; a thread has those of its parent channel."""
    if channel.get("type") in THREADS:
        channel = context.get("channel", channel.get("parent_id")) or {}
    return channel.get("permission_overwrites") or []


def _roles_of(context: AppContext, guild_id: str, member: Object) -> list[Object]:
    roles = (context.get("role", role_id) for role_id in member.get("roles") or [])
    return [role for role in roles if role is not None and role.get("guild_id") == guild_id]


def _is_timed_out(context: AppContext, member: Object) -> bool:
    until = member.get("communication_disabled_until")
    return bool(until) and datetime.fromisoformat(str(until)) > context.now()


def _position(role: Object) -> int:
    return int(role.get("position") or 0)


def _rank(role: Object) -> tuple[int, int]:
    return _position(role), -int(role["id"])
