"""The `im_v1_chat_list` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import membership
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.lark.rules.im import chats
from soundstage.kernels.lark.rules.paging import page
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """List the group chats of the bot or the user; p2p chats never appear."""
    params = arguments.get("params", {})
    who = caller(context, arguments, "im:chat", "im:chat:readonly", "im:chat:read", "im:chat.group_info:readonly")
    size = chats.page_size(params)
    chats.check_app(context)

    sort_type = params.get("sort_type", "ByCreateTimeAsc")
    matches = [chat for chat in chats.group_chats(context) if membership.is_in(context, chat, who)]
    if sort_type == "ByActiveTimeDesc":
        matches.sort(key=lambda chat: _active_time(context, chat), reverse=True)
    query = {"tool": "im_v1_chat_list", "who": who.id, "sort_type": sort_type}
    shown = page(matches, size, params.get("page_token"), query, invalid=chats.invalid_parameter())
    id_type = params.get("user_id_type", "open_id")
    return {
        "items": [chats.to_list_entry(context, chat, id_type) for chat in shown.items],
        "page_token": shown.token,
        "has_more": shown.has_more,
    }


def _active_time(context: AppContext, chat: Object) -> int:
    """Return the time of the last message in milliseconds, or else of the chat's creation."""
    last = context.first("message", {"chat_id": chat["chat_id"]}, order="-create_time") or chat
    time = last.get("create_time", "")
    return int(time) if time.isdecimal() and len(time) < 20 else 0
