"""The `remove_role` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.audit import MEMBER_ROLE_UPDATE, note
from soundstage.kernels.discord.rules.guilds import fetch_guild, fetch_member, role_to_set
from soundstage.kernels.discord.rules.identity import signed_in
from soundstage.kernels.discord.rules.values import parse_int, required_argument
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Take a role from a member; it also succeeds if the member lacks the role."""
    bot = signed_in(context)
    guild = fetch_guild(context, bot, parse_int(required_argument(arguments, "server_id")))
    member, user = fetch_member(context, guild, parse_int(required_argument(arguments, "user_id")))
    role = role_to_set(context, bot, guild, parse_int(required_argument(arguments, "role_id")))
    role_ids = member.get("roles") or []
    if role["id"] in role_ids:
        context.update(
            "member", (guild["id"], user["id"]), {"roles": [other for other in role_ids if other != role["id"]]}
        )
        note(context, bot, guild["id"], MEMBER_ROLE_UPDATE, user["id"], "Role removed via MCP")
    return f"Removed role {role['name']} from user {user['username']}"
