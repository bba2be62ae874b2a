"""The `conversations_join` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import channels, identity
from soundstage.kernels.slack.rules.directory import resolve_wrapped
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Join a public channel (conversations.join); the reply is the same for members."""
    who = identity.person(context)
    channel = resolve_wrapped(context, who, arguments)
    try:
        channels.join(context, who, channel)
    except SlackError as error:
        raise error.prefixed("failed to join conversation: ") from None
    return f"Successfully joined {channel}"
