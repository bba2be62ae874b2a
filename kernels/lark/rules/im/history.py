"""Messages of a chat or a thread, sorted by time, in pages."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import membership
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.identity import Caller, lacks
from soundstage.kernels.lark.rules.im import messages

_GROUP_SCOPE = "im:message.group_msg"
_LAST_MS = 10**13 - 1  # times are stored as texts of 13 digits, which sort like numbers


def chat_to_read(context: AppContext, bot: Caller, chat_id: str) -> Object:
    """Return the chat whose messages the bot may read.

    Raises:
        LarkError: There is none (230001), the bot is not in it or it is dissolved (230002), or the app may read only
            p2p
            chats (230027).
    """
    chat = context.get("chat", chat_id)
    if chat is None:
        raise messages.invalid_parameter("invalid container_id")
    if chat.get("chat_status") == "dissolved" or not membership.is_in(context, chat, bot):
        raise messages.outside_group()
    if chat.get("chat_mode") != "p2p" and lacks(context, _GROUP_SCOPE):
        raise messages.not_permitted(_GROUP_SCOPE)
    return chat


def check_thread(context: AppContext, bot: Caller, thread_id: str) -> None:
    """Reject a thread that the bot may not read.

    Raises:
        LarkError: There is none (230001), its chat is closed to the bot (230073), or its first message is deleted
            (230110).
    """
    first = context.first("message", {"thread_id": thread_id}, order="create_time")
    if first is None:
        raise messages.invalid_parameter("invalid container_id")
    chat = context.get("chat", first.get("chat_id", ""))
    if chat is not None and not membership.is_in(context, chat, bot):
        raise LarkError(230073, "The thread is invisible to the operator.", kind="permission")
    if first.get("deleted") and "root_id" not in first:
        message = "Action unavailable as the message has been deleted."
        raise LarkError(230110, message, kind="not_found")


def between(start_s: int | None, end_s: int | None) -> dict[str, Any]:
    """Return conditions on a message's time, including both seconds."""
    bounds: dict[str, Any] = {}
    if start_s is not None:
        bounds["create_time >="] = f"{min(start_s * 1000, _LAST_MS):013d}"
    if end_s is not None:
        bounds["create_time <="] = f"{min(end_s * 1000 + 999, _LAST_MS):013d}"
    return bounds


def read(
    context: AppContext, where: dict[str, Any], order: str, offset: int, size: int, *, with_replies: bool
) -> tuple[list[Object], int | None]:
    """Return up to `size` messages from `offset` on, and the next page's offset (None on the last page).

    Without replies, a thread shows only the message that opened it, as the chat does.
    """
    page: list[Object] = []
    while True:
        rows = context.list("message", where, order=order, limit=size + 1, offset=offset)
        for row in rows:
            if with_replies or "thread_id" not in row or "root_id" not in row:
                if len(page) == size:
                    return page, offset
                page.append(row)
            offset += 1
        if len(rows) <= size:
            return page, None
