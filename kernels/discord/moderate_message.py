"""The `moderate_message` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.discord.rules.channels import fetch_channel, needs_method
from soundstage.kernels.discord.rules.errors import PythonError
from soundstage.kernels.discord.rules.identity import signed_in
from soundstage.kernels.discord.rules.messages import fetch_message
from soundstage.kernels.discord.rules.values import parse_int, required_argument
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Fail always: the server passes a keyword to discord.py's `delete` that it does not accept."""
    bot = signed_in(context)
    channel = fetch_channel(context, bot, parse_int(required_argument(arguments, "channel_id")))
    needs_method(channel, "fetch_message")
    fetch_message(context, bot, channel, parse_int(required_argument(arguments, "message_id")))
    required_argument(arguments, "reason")
    raise PythonError("PartialMessage.delete() got an unexpected keyword argument 'reason'")
