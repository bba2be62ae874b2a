"""Servers, their members and roles, as the API returns them and discord.py sorts them."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.discord.rules.errors import PythonError, missing_permissions, unknown
from soundstage.kernels.discord.rules.identity import Bot, find_user
from soundstage.kernels.discord.rules.permissions import may, outranks
from soundstage.kernels.discord.rules.snowflakes import path_id


def fetch_guild(context: AppContext, bot: Bot, number: int) -> Object:
    """Perform GET /guilds/{id}, which finds only the servers of the bot.

    Raises:
        DiscordError: 10004.
    """
    guild = context.get("guild", path_id(number, "guild_id"))
    if guild is None or (bot.has_row and context.get("member", (guild["id"], bot.user_id)) is None):
        raise unknown("Guild")
    return guild


def fetch_member(context: AppContext, guild: Object, number: int) -> tuple[Object, Object]:
    """Perform GET /guilds/{id}/members/{id} and return the member and the account.

    Raises:
        DiscordError: 10007 for a user who is not a member, 10013 for an unknown user.
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
    """Return the page of members with the lowest ids, as members and accounts."""
    listed = context.list("member", {"guild_id": guild["id"]})
    known = [(member, user) for member in listed if (user := find_user(context, member["user_id"])) is not None]
    return sorted(known, key=lambda pair: int(pair[0]["user_id"]))[: max(limit, 0)]


def role_ids(context: AppContext, guild: Object, member: Object) -> list[str]:
    """Return a member's roles except the lowest, @everyone, in ascending order."""
    ids = sorted([*(member.get("roles") or []), guild["id"]], key=int)
    roles = [role for role_id in ids if (role := find_role(context, guild, role_id)) is not None]
    roles.sort(key=lambda role: (role["id"] != guild["id"], role.get("position") or 0, -int(role["id"])))
    return [role["id"] for role in roles[1:]]


def find_role(context: AppContext, guild: Object, role_id: str) -> Object | None:
    """Return a role of a server."""
    role = context.get("role", role_id)
    return role if role is not None and role.get("guild_id") == guild["id"] else None


def role_to_set(context: AppContext, bot: Bot, guild: Object, number: int) -> Object:
    """Return a role that the bot can assign or remove, via `guild.get_role(…)` and the API's checks.

    Raises:
        PythonError: There is no such role, so the server reads the id of None.
        DiscordError: 10011 for @everyone, which cannot be assigned; 50013.
    """
    role = find_role(context, guild, str(number))
    if role is None:
        raise PythonError("'NoneType' object has no attribute 'id'")
    if role["id"] == guild["id"]:
        raise unknown("Role")  # https://github.com/polarsource/polar/issues/4009
    if not may(context, bot, "manage_roles", guild["id"]) or not outranks(context, bot, guild, role):
        raise missing_permissions()
    if role.get("managed"):  # the role of a bot or an integration, which only Discord assigns
        raise missing_permissions()
    return role
