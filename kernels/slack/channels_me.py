"""The `channels_me` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import channels, identity
from soundstage.kernels.slack.rules.directory import as_csv, entry_of, kinds_named
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.slack.rules.limits import channel_limit, check_slice
from soundstage.kernels.slack.rules.paging import cut
from soundstage.kernels.slack.rules.values import go_text
from soundstage.kernels.types import Arguments

_PAGE = 200


def run(context: AppContext, arguments: Arguments) -> str:
    """List the caller's conversations (users.conversations), in Slack's order.

    The server reads pages of 200 until it has enough, then cuts. Its cursor leads to Slack's next page, so
    conversations between the limit and the end of the page are never shown.
    """
    who = identity.person(context)
    kinds = kinds_named(go_text(arguments, "channel_types", "public_channel,private_channel"))
    limit = channel_limit(arguments)
    try:
        who.calls("users.conversations")
        for kind in kinds:
            who.needs(channels.scope(kind, "read"))
        own = channels.conversations(context, who, kinds, own=True)
        pages = max(-(-limit // _PAGE), 1)
        listed, cursor = cut(own, pages * _PAGE, go_text(arguments, "cursor"))
    except SlackError as error:
        raise error.prefixed("failed to fetch your channels: ") from None
    check_slice("channels_me", 0, min(limit, len(listed)))
    return as_csv([entry_of(context, who, channel) for channel in listed[:limit]], cursor)
