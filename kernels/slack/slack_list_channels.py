"""The `slack_list_channels` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import channels, identity
from soundstage.kernels.slack.rules.paging import cut, page_size
from soundstage.kernels.slack.rules.settings import setting
from soundstage.kernels.slack.rules.values import comma_separated, js_number, js_text, js_truthy
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """List public channels that are not archived (conversations.list).

    `limit` passes through JavaScript's Math.min(limit, 200), so an invalid one becomes NaN. With SLACK_CHANNEL_IDS,
    only those channels are looked up one by one, without pages.
    """
    who = identity.bot(context)
    if only := setting(context, "SLACK_CHANNEL_IDS"):
        configured = [context.get("channel", channel_id) for channel_id in comma_separated(only)]
        listed = [c for c in configured if c and channels.is_visible(c, who) and not c.get("is_archived")]
        return _body([channels.to_reply(c, who) for c in listed], "")
    who.calls("conversations.list")
    who.needs("channels:read")
    limit = js_text(min(js_number(arguments.get("limit", 100)), 200.0))
    cursor = arguments.get("cursor")
    size = page_size(limit, default=100, most=200)
    public = channels.conversations(context, who, ["public_channel"])
    page, next_cursor = cut(public, size, js_text(cursor) if js_truthy(cursor) else "")
    return _body([channels.to_reply(c, who) for c in page], next_cursor)


def _body(shown: list[Object], next_cursor: str) -> Object:
    return {"ok": True, "channels": shown, "response_metadata": {"next_cursor": next_cursor}}
