"""Servers, their members and roles, as the API shows them to the bot and discord.py sorts them."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.discord.rules.errors import PythonError, missing_permissions, unknown
from soundstage.kernels.discord.rules.identity import Bot, find_user
from soundstage.kernels.discord.rules.permissions import may, outranks
from soundstage.kernels.discord.rules.snowflakes import path_id


def fetch_guild(context: AppContext, bot: Bot, number: int) -> Object:
    """GET /guilds/{id}: those alone that the bot is in.

    Raises:
        DiscordError: 10004.
    """
    guild = context.get("guild", path_id(number, "guild_id"))
    if guild is None or (bot.is_told and context.get("member", (guild["id"], bot.user_id)) is None):
        raise unknown("Guild")
    return guild


def fetch_member(context: AppContext, guild: Object, number: int) -> tuple[Object, Object]:
    """GET /guilds/{id}/members/{id}: the member and the account.

    Raises:
        DiscordError: 10007 for somebody of another server, 10013 for nobody.
    """
    user_id = path_id(number, "user_id")
    user = find_user(context, user_id)
    if user is None:
        raise unknown("User")
    member = context.get("member", (guild["id"], user_id))
    if member is None:
        raise unknown("Member")
    return member, user


def members_by_id(context: AppContext, guild: Object, limit: int) -> list[tuple[Object, Object]]:
    """The page of members with the lowest ids, members and accounts."""
    listed = context.list("member", {"guild_id": guild["id"]})
    known = [(member, user) for member in listed if (user := find_user(context, member["user_id"])) is not None]
    return sorted(known, key=lambda pair: int(pair[0]["user_id"]))[: max(limit, 0)]


def role_ids(context: AppContext, guild: Object, member: Object) -> list[str]:
    """A member's roles but the lowest, which is @everyone, from the lowest to the highest."""
    ids = sorted([*(member.get("roles") or []), guild["id"]], key=int)
    held = [role for role_id in ids if (role := find_role(context, guild, role_id)) is not None]
    held.sort(key=lambda role: (role["id"] != guild["id"], role.get("position") or 0, -int(role["id"])))
    return [role["id"] for role in held[1:]]


def find_role(context: AppContext, guild: Object, role_id: str) -> Object | None:
    role = context.get("role", role_id)
    return role if role is not None and role.get("guild_id") == guild["id"] else None


def role_to_set(context: AppContext, bot: Bot, guild: Object, number: int) -> Object:
    """A role that the bot gives or takes: `guild.get_role(…)`, and what the API says to it.

    Raises:
        PythonError: there is none, so the server asks None for its id.
        DiscordError: 10011 for @everyone, which nobody can have or lack; 50013.
    """
    role = find_role(context, guild, str(number))
    if role is None:
        raise PythonError("'NoneType' object has no attribute 'id'")
    if role["id"] == guild["id"]:
        raise unknown("Role")  # https://github.com/polarsource/polar/issues/4009
    if not may(context, bot, "manage_roles", guild["id"]) or not outranks(context, bot, guild, role):
        raise missing_permissions()
    if role.get("managed"):  # a bot's or an integration's own role, which Discord itself gives
        raise missing_permissions()
    return role
