"""The `delete_channel` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.channels import delete_channel, fetch_channel, needs_method
from soundstage.kernels.discord.rules.identity import signed_in
from soundstage.kernels.discord.rules.values import header, parse_int, required_argument
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Delete a channel, a thread or a category."""
    bot = signed_in(context)
    channel = fetch_channel(context, bot, parse_int(required_argument(arguments, "channel_id")))
    needs_method(channel, "delete")
    delete_channel(context, bot, channel, header(arguments.get("reason", "Channel deleted via MCP")))
    return "Deleted channel successfully"
