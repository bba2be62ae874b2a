"""The `slack_post_message` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity
from soundstage.kernels.slack.rules.posting import post, post_reply
from soundstage.kernels.slack.rules.values import required_arguments
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Post a message as the bot (chat.postMessage)."""
    channel, text = required_arguments(arguments, "channel_id", "text")
    return post_reply(post(context, identity.bot(context), channel, text=text))
