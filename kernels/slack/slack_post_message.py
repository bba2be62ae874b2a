"""The `slack_post_message` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity
from soundstage.kernels.slack.rules.posting import post, posted
from soundstage.kernels.slack.rules.values import required
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Post a message as the bot (chat.postMessage)."""
    channel, text = required(arguments, "channel_id", "text")
    return posted(post(context, identity.bot(context), channel, text=text))
