"""The `slack_reply_to_thread` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity
from soundstage.kernels.slack.rules.posting import post, post_reply
from soundstage.kernels.slack.rules.values import required_arguments
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Reply in a thread as the bot (chat.postMessage with thread_ts)."""
    channel, thread_ts, text = required_arguments(arguments, "channel_id", "thread_ts", "text")
    return post_reply(post(context, identity.bot(context), channel, text=text, thread_ts=thread_ts))
