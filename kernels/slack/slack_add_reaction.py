"""The `slack_add_reaction` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity, reactions
from soundstage.kernels.slack.rules.values import required_arguments
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Add an emoji to a message as the bot (reactions.add)."""
    channel_id, timestamp, name = required_arguments(arguments, "channel_id", "timestamp", "reaction")
    reactions.add(context, identity.bot(context), channel_id, timestamp, name)
    return {"ok": True}
