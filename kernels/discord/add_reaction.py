"""The `add_reaction` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.channels import fetch_channel, needs_method
from soundstage.kernels.discord.rules.identity import signed_in
from soundstage.kernels.discord.rules.messages import fetch_message
from soundstage.kernels.discord.rules.reactions import react
from soundstage.kernels.discord.rules.values import parse_int, required_argument
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """React to a message."""
    bot = signed_in(context)
    channel = fetch_channel(context, bot, parse_int(required_argument(arguments, "channel_id")))
    needs_method(channel, "fetch_message")
    message = fetch_message(context, bot, channel, parse_int(required_argument(arguments, "message_id")))
    emoji = required_argument(arguments, "emoji")
    react(context, bot, channel, message["id"], emoji)
    return f"Added reaction {emoji} to message"
