"""The `list_members` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.guilds import fetch_guild, members_by_id, role_ids
from soundstage.kernels.discord.rules.identity import signed_in
from soundstage.kernels.discord.rules.values import limit_of, parse_int, required_argument
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """List members of a server, highest ids first, because discord.py reverses the page."""
    guild = fetch_guild(context, signed_in(context), parse_int(required_argument(arguments, "server_id")))
    limit = limit_of(arguments, default=100, most=1000)
    lines = [
        f"{user['username']} (ID: {member['user_id']}, Roles: {', '.join(role_ids(context, guild, member))})"
        for member, user in reversed(members_by_id(context, guild, limit))
    ]
    return f"Server Members ({len(lines)}):\n" + "\n".join(lines)
