"""The `create_text_channel` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.channels import create_text_channel
from soundstage.kernels.discord.rules.guilds import fetch_guild
from soundstage.kernels.discord.rules.identity import signed_in
from soundstage.kernels.discord.rules.values import parse_int, required_argument
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Create a text channel.

    The server looks for the category among channels that it never fetched, so it never finds one.
    """
    bot = signed_in(context)
    guild = fetch_guild(context, bot, parse_int(required_argument(arguments, "server_id")))
    if "category_id" in arguments:
        parse_int(arguments["category_id"])
    name, topic = (
        None if v is None else str(v) for v in (required_argument(arguments, "name"), arguments.get("topic"))
    )
    channel = create_text_channel(context, bot, guild, name, topic, "Channel created via MCP")
    return f"Created text channel #{channel['name']} (ID: {channel['id']})"
