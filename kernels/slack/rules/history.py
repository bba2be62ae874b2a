"""Reading messages: conversations.history and conversations.replies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import channels
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.slack.rules.identity import Identity
from soundstage.kernels.slack.rules.paging import page_size, read_cursor, write_cursor

_FIRST_CHUNK = 20

# Subtypes of channel events, as opposed to messages of users; they cannot be replied to.
ACTIVITY = frozenset((
    "bot_add", "bot_remove", "channel_archive", "channel_convert_to_private", "channel_join", "channel_leave",
    "channel_name", "channel_posting_permissions", "channel_purpose", "channel_topic", "channel_unarchive",
    "ekm_access_denied", "group_archive", "group_join", "group_leave", "group_name", "group_purpose", "group_topic",
    "group_unarchive", "pinned_item", "reminder_add", "tombstone", "unpinned_item",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """Some messages, and the cursor to the next ones ("" at the end)."""

    messages: list[Object]
    next_cursor: str

    def body(self, **more: int) -> Object:
        """Return the Web API's body with the members in `more`; `response_metadata` only if a page follows."""
        messages = [to_reply(m) for m in self.messages]
        body: Object = {"ok": True, "messages": messages, "has_more": bool(self.next_cursor), **more}
        return body | {"response_metadata": {"next_cursor": self.next_cursor}} if self.next_cursor else body


def to_reply(message: Object) -> Object:
    """Return a message as the Web API writes it, without the channel of the request."""
    return {name: value for name, value in message.items() if name != "channel"}


def history(
    context: AppContext,
    who: Identity,
    channel_id: str,
    *,
    limit: str = "",
    cursor: str = "",
    oldest: str = "",
    latest: str = "",
) -> Page:
    """Perform conversations.history: newest first, without thread replies unless they were broadcast.

    Raises:
        SlackError: channel_not_found, not_in_channel (bots only), invalid_limit, invalid_cursor.
    """
    who.calls("conversations.history")
    _readable(context, who, channel_id)
    size = page_size(limit, default=100, most=999)
    where = _bounds(channel_id, oldest, latest)
    if cursor:
        where["ts <="] = _cursor_ts(cursor)
    return _page(_top_level(context, where), size)


def replies(
    context: AppContext,
    who: Identity,
    channel_id: str,
    thread_ts: str,
    *,
    limit: str = "",
    cursor: str = "",
    oldest: str = "",
    latest: str = "",
) -> Page:
    """Perform conversations.replies: the parent, then the replies, oldest first.

    `thread_ts` may name any of them.

    Raises:
        SlackError: channel_not_found, not_in_channel (bots only), thread_not_found, invalid_limit, invalid_cursor.
    """
    who.calls("conversations.replies")
    _readable(context, who, channel_id)
    message = context.get("message", (channel_id, thread_ts))
    if message is None:
        raise SlackError("thread_not_found")
    size = page_size(limit, default=1000, most=1000)
    root_ts = message.get("thread_ts") or thread_ts
    root = message if root_ts == thread_ts else context.get("message", (channel_id, root_ts))
    where = {**_bounds(channel_id, oldest, latest), "thread_ts": root_ts, "ts !=": root_ts}
    if cursor:
        where["ts >="] = _cursor_ts(cursor)
    below = context.list("message", where, order="ts", limit=size + 1)
    return _page(iter(below if root is None or cursor else [root, *below]), size)


def newest(context: AppContext, channel_id: str) -> Object | None:
    """Return a channel's newest top-level message without any access check."""
    return next(_top_level(context, {"channel": channel_id}), None)


def _readable(context: AppContext, who: Identity, channel_id: str) -> None:
    channel = channels.find(context, who, channel_id)
    who.needs(channels.scope(channels.kind_of(channel), "history"))
    if who.is_bot and not channels.is_member(channel, who):
        raise SlackError("not_in_channel")  # a person's token can read public channels without membership


def _bounds(channel_id: str, oldest: str, latest: str) -> dict[str, str]:
    bounds = {"channel": channel_id}
    if oldest:
        bounds["ts >"] = oldest
    if latest:
        bounds["ts <"] = latest
    return bounds


def _top_level(context: AppContext, where: dict[str, str]) -> Iterator[Object]:
    offset, size = 0, _FIRST_CHUNK
    while chunk := context.list("message", where, order="-ts", limit=size, offset=offset):
        for message in chunk:
            in_thread = message.get("thread_ts") not in (None, "", message["ts"])
            if not in_thread or message.get("subtype") == "thread_broadcast":
                yield message
        offset, size = offset + size, size * 2


def _page(messages: Iterator[Object], size: int) -> Page:
    shown_messages: list[Object] = []
    for message in messages:
        if len(shown_messages) == size:
            return Page(shown_messages, write_cursor("next_ts", message["ts"].replace(".", "")))
        shown_messages.append(message)
    return Page(shown_messages, "")


def _cursor_ts(cursor: str) -> str:
    digits = read_cursor(cursor, "next_ts")
    if not (digits.isascii() and digits.isdigit()):
        raise SlackError("invalid_cursor")
    return f"{digits[:-6]}.{digits[-6:]}"
