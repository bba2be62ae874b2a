"""Answer in a thread as the bot (chat.postMessage with thread_ts)."""

from __future__ import annotations

from contexts.engine.app_context import AppContext
from contexts.engine.schema import Object
from kernels.slack.rules import identity
from kernels.slack.rules.posting import post, posted
from kernels.slack.rules.values import required
from kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    channel, thread_ts, text = required(arguments, "channel_id", "thread_ts", "text")
    return posted(post(context, identity.bot(context), channel, text=text, thread_ts=thread_ts))
