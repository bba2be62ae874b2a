"""The `read_messages` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.channels import fetch_channel, needs_method
from soundstage.kernels.discord.rules.identity import signed_in
from soundstage.kernels.discord.rules.messages import format_message, latest
from soundstage.kernels.discord.rules.values import limit_of, parse_int, required_argument
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the latest messages of a channel, newest first."""
    bot = signed_in(context)
    channel = fetch_channel(context, bot, parse_int(required_argument(arguments, "channel_id")))
    limit = limit_of(arguments, default=10, most=100)
    needs_method(channel, "history")
    messages = latest(context, bot, channel, limit)
    return f"Retrieved {len(messages)} messages:\n\n" + "\n".join(
        format_message(context, message) for message in messages
    )
