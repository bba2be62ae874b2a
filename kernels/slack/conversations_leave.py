"""The `conversations_leave` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import channels, identity
from soundstage.kernels.slack.rules.directory import resolve_wrapped
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Leave a conversation (conversations.leave); it also succeeds for non-members."""
    who = identity.person(context)
    channel = resolve_wrapped(context, who, arguments)
    try:
        was_member = channels.leave(context, who, channel)
    except SlackError as error:
        raise error.prefixed("failed to leave conversation: ") from None
    return f"Successfully left {channel}" if was_member else f"Not a member of {channel}"
