"""Give a message an emoji as the bot (reactions.add)."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from contexts.engine.schema import Object
from kernels.slack.rules import identity, reactions
from kernels.slack.rules.values import required
from kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    channel_id, timestamp, name = required(arguments, "channel_id", "timestamp", "reaction")
    reactions.add(context, identity.bot(context), channel_id, timestamp, name)
    return {"ok": True}
