"""The `slack_get_thread_replies` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import history, identity
from soundstage.kernels.slack.rules.values import required_arguments
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Read a thread: its parent, then the replies, oldest first (conversations.replies)."""
    channel_id, thread_ts = required_arguments(arguments, "channel_id", "thread_ts")
    return history.replies(context, identity.bot(context), channel_id, thread_ts).body()
