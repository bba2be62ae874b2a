"""The `conversations_history` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import history, identity
from soundstage.kernels.slack.rules.csv_rows import message_rows, messages_csv
from soundstage.kernels.slack.rules.directory import resolve
from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.slack.rules.ranges import message_range
from soundstage.kernels.slack.rules.values import go_flag, go_text
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Read a conversation, newest first (conversations.history), with the next page's cursor in the last row."""
    who = identity.person(context)
    channel = go_text(arguments, "channel_id")
    if not channel:
        raise Refusal("channel_id must be a string")
    part = message_range(context, arguments)
    channel = resolve(context, who, channel)
    page = history.history(
        context, who, channel, limit=part.limit, cursor=part.cursor, oldest=part.oldest, latest=part.latest
    )
    with_activity = go_flag(arguments, "include_activity_messages", False)
    return messages_csv(message_rows(context, page.messages, channel, with_activity=with_activity), page.next_cursor)
