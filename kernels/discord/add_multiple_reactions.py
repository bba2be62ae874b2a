"""The `add_multiple_reactions` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.channels import fetch_channel, needs_method
from soundstage.kernels.discord.rules.identity import signed_in
from soundstage.kernels.discord.rules.messages import fetch_message
from soundstage.kernels.discord.rules.reactions import react
from soundstage.kernels.discord.rules.values import items, parse_int, required_argument
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | AppError:
    """React to a message with one emoji after the other.

    The first error ends the call; earlier reactions remain.
    """
    bot = signed_in(context)
    channel = fetch_channel(context, bot, parse_int(required_argument(arguments, "channel_id")))
    needs_method(channel, "fetch_message")
    message = fetch_message(context, bot, channel, parse_int(required_argument(arguments, "message_id")))
    emojis = items(required_argument(arguments, "emojis"))
    for emoji in emojis:
        try:
            react(context, bot, channel, message["id"], emoji)
        except AppError as error:
            return error
    return f"Added reactions: {', '.join(emojis)} to message"
