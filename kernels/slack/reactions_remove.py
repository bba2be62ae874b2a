"""The `reactions_remove` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import identity, reactions
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Remove the caller's emoji from a message (reactions.remove), ignoring colons around its name."""
    who = identity.person(context)
    channel, timestamp, emoji = reactions.wanted_reaction(context, who, arguments)
    reactions.remove(context, who, channel, timestamp, emoji)
    return f"Successfully removed :{emoji}: reaction from message {timestamp} in channel {channel}"
