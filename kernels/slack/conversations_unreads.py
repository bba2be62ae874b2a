"""Show what is unread (see `rules/unreads.py` for how it is found). The tool is absent with a bot's token.

As with a real OAuth token, `mentions_only` changes nothing and muted conversations cannot be told apart.
"""

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
    who = identity.person(context)
    if who.is_bot:
        raise tool_is_missing("conversations_unreads")
    most_messages = go_integer(arguments, "max_messages_per_channel", 10)
    found = scan(
        context,
        who,
        go_text(arguments, "channel_types", "all"),
        go_integer(arguments, "max_channels", 50),
        most_messages,
    )
    note = _note(found, with_muted=go_flag(arguments, "include_muted", False))
    if not go_flag(arguments, "include_messages", True):
        rows = [[u.channel_id, u.name, u.kind, str(u.count), u.last_read, u.latest] for u in found.unread]
        return note + csv_text(_COLUMNS, rows)
    messages: list[list[str]] = []
    for unread in found.unread:
        try:
            messages += message_rows(context, unread_messages(context, who, unread, most_messages), unread.name)
        except SlackError:
            continue  # the server logs it and goes on
    return note + messages_csv(messages)


def _note(found: Scan, *, with_muted: bool) -> str:
    muted = "Muted channel filtering is unavailable with xoxp tokens; results may include muted channels. "
    return (
        f"[xoxp token: scanned {found.scanned} channels ({found.requests} API calls), found {len(found.unread)} "
        f"with unreads. {'' if with_muted else muted}Results may be incomplete — increase max_channels for broader "
        "coverage, or use xoxc/xoxd browser tokens for complete results.]\n\n"
    )
