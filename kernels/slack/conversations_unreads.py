"""The `conversations_unreads` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import identity
from soundstage.kernels.slack.rules.csv_rows import csv_text, message_rows, messages_csv
from soundstage.kernels.slack.rules.errors import SlackError, tool_is_missing
from soundstage.kernels.slack.rules.unreads import Scan, scan, unread_messages
from soundstage.kernels.slack.rules.values import go_flag, go_integer, go_text
from soundstage.kernels.types import Arguments

_COLUMNS = ("ChannelID", "ChannelName", "ChannelType", "UnreadCount", "LastRead", "Latest")


def run(context: AppContext, arguments: Arguments) -> str:
    """Show unread messages; with a bot's token the tool does not exist.

    See `rules/unreads.py` for the scan. As with a real OAuth token, `mentions_only` has no effect and muted
    conversations are not distinguishable.
    """
    who = identity.person(context)
    if who.is_bot:
        raise tool_is_missing("conversations_unreads")
    most_messages = go_integer(arguments, "max_messages_per_channel", 10)
    result = scan(
        context,
        who,
        go_text(arguments, "channel_types", "all"),
        go_integer(arguments, "max_channels", 50),
        most_messages,
    )
    note = _note(result, with_muted=go_flag(arguments, "include_muted", False))
    if not go_flag(arguments, "include_messages", True):
        rows = [[u.channel_id, u.name, u.kind, str(u.count), u.last_read, u.latest] for u in result.unread]
        return note + csv_text(_COLUMNS, rows)
    messages: list[list[str]] = []
    for unread in result.unread:
        try:
            messages += message_rows(context, unread_messages(context, who, unread, most_messages), unread.name)
        except SlackError:
            continue  # the server logs the error and continues
    return note + messages_csv(messages)


def _note(result: Scan, *, with_muted: bool) -> str:
    muted = "Muted channel filtering is unavailable with xoxp tokens; results may include muted channels. "
    return (
        f"[xoxp token: scanned {result.scanned} channels ({result.requests} API calls), found {len(result.unread)} "
        f"with unreads. {'' if with_muted else muted}Results may be incomplete — increase max_channels for broader "
        "coverage, or use xoxc/xoxd browser tokens for complete results.]\n\n"
    )
