"""The `reactions_add` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import identity, reactions
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Add an emoji to a message (reactions.add), ignoring colons around its name."""
    who = identity.person(context)
    channel, timestamp, emoji = reactions.wanted_reaction(context, who, arguments)
    reactions.add(context, who, channel, timestamp, emoji)
    return f"Successfully added :{emoji}: reaction to message {timestamp} in channel {channel}"
