"""The `conversations_mark` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import channels, history, identity
from soundstage.kernels.slack.rules.directory import resolve
from soundstage.kernels.slack.rules.errors import Refusal, SlackError
from soundstage.kernels.slack.rules.values import go_text
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Mark a conversation as read up to a message, by default the newest (conversations.mark)."""
    who = identity.person(context)
    channel = go_text(arguments, "channel_id")
    if not channel:
        raise Refusal("channel_id is required")
    channel = resolve(context, who, channel)
    ts = go_text(arguments, "ts")
    if not ts:
        try:
            newest = history.history(context, who, channel, limit="1").messages
        except SlackError as error:
            raise error.prefixed("failed to get latest message: ") from None
        if not newest:
            return "No messages to mark as read"
        ts = newest[0]["ts"]
    try:
        channels.mark(context, who, channel, ts)
    except SlackError as error:
        raise error.prefixed("failed to mark conversation as read: ") from None
    return f"Marked {channel} as read up to {ts}"
