"""The `get_server_info` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.guilds import fetch_guild
from soundstage.kernels.discord.rules.identity import signed_in
from soundstage.kernels.discord.rules.snowflakes import created_at
from soundstage.kernels.discord.rules.values import parse_int, required_argument
from soundstage.kernels.types import Arguments

_FILTERS = {0: "disabled", 1: "no_role", 2: "all_members"}


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the properties of a server, one per line.

    There is no member count, because discord.py's request does not include it.
    """
    guild = fetch_guild(context, signed_in(context), parse_int(required_argument(arguments, "server_id")))
    info = {
        "name": guild.get("name", ""),
        "id": guild["id"],
        "owner_id": guild.get("owner_id"),
        "member_count": None,
        "created_at": created_at(guild["id"]),
        "description": guild.get("description"),
        "premium_tier": guild.get("premium_tier", 0),
        "explicit_content_filter": _filter_name(guild.get("explicit_content_filter", 0)),
    }
    return "Server Information:\n" + "\n".join(f"{name}: {value}" for name, value in info.items())


def _filter_name(level: int) -> str:
    """Return discord.py's name of a content filter."""
    return _FILTERS.get(level, f"unknown_{level}")
