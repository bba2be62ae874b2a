"""The `send_message` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.channels import fetch_channel, needs_method
from soundstage.kernels.discord.rules.identity import signed_in
from soundstage.kernels.discord.rules.messages import send
from soundstage.kernels.discord.rules.values import parse_int, required_argument
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Write a message."""
    bot = signed_in(context)
    channel = fetch_channel(context, bot, parse_int(required_argument(arguments, "channel_id")))
    needs_method(channel, "send")
    message = send(context, bot, channel, required_argument(arguments, "content"))
    return f"Message sent successfully. Message ID: {message['id']}"
