"""The `im_v1_chat_search` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import membership
from soundstage.kernels.lark.rules.identity import Caller, caller
from soundstage.kernels.lark.rules.im import chats
from soundstage.kernels.lark.rules.im.pinyin import starts_with_pinyin
from soundstage.kernels.lark.rules.paging import page
from soundstage.kernels.types import Arguments

_LONGEST_QUERY = 64


def run(context: AppContext, arguments: Arguments) -> Object:
    """Search the chats of the bot or the user, and the public ones of the tenant.

    An empty query, or one of more than 64 characters, matches nothing instead of failing.
    """
    params = arguments.get("params", {})
    who = caller(context, arguments, "im:chat", "im:chat:readonly", "im:chat:read", "im:chat.group_info:readonly")
    size = chats.page_size(params)
    chats.check_app(context, "inactivate in the tenant")

    text = params.get("query", "").strip()
    # Quotation marks keep a hyphen from splitting words; they are not part of the search text.
    typed = text.strip('"“”').casefold() if len(text) <= _LONGEST_QUERY else ""
    matches = [c for c in chats.group_chats(context) if _is_visible(context, c, who) and _fits(context, c, typed)]
    query = {"tool": "im_v1_chat_search", "who": who.id, "query": typed}
    shown = page(matches if typed else [], size, params.get("page_token"), query, invalid=chats.invalid_parameter())
    id_type = params.get("user_id_type", "open_id")
    return {
        "items": [chats.to_list_entry(context, chat, id_type) for chat in shown.items],
        "page_token": shown.token,
        "has_more": shown.has_more,
    }


def _is_visible(context: AppContext, chat: Object, who: Caller) -> bool:
    is_open = chat.get("chat_type") == "public" and chat.get("chat_status", "normal") == "normal"
    return membership.is_in(context, chat, who) or (
        is_open and chat.get("tenant_key", who.tenant_key) == who.tenant_key
    )


def _fits(context: AppContext, chat: Object, typed: str) -> bool:
    """Return whether a name of the chat or of a member contains the text, or its pinyin begins with it."""
    names = [chat.get("name", ""), *(chat.get("i18n_names") or {}).values()]
    return any(_names(name, typed) for name in names) or any(
        _names(member["name"], typed) for member in membership.members(context, chat)
    )


def _names(name: str, typed: str) -> bool:
    return typed in name.casefold() or starts_with_pinyin(name, typed)
