"""Who is in a chat.

Members stand inline (`member_ids` with open_ids, `bot_ids` with app_ids) or as `chat_member` rows; both count.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.identity import Caller


def members(context: AppContext, chat: Object) -> list[Object]:
    """The people in a chat in the order they came: {member_id (an open_id), name, tenant_key}; never bots."""
    rows = context.list("chat_member", {"chat_id": chat["chat_id"]})
    found: dict[str, Object] = {open_id: {} for open_id in chat.get("member_ids") or []}
    for row in rows:
        if not row["member_id"].startswith("cli_"):
            found[row["member_id"]] = row
    return [_member(context, chat, open_id, row) for open_id, row in found.items()]


def is_in(context: AppContext, chat: Object, caller: Caller) -> bool:
    """Whether the caller belongs to a chat. One whom the state does not name belongs where anybody of his kind does."""
    inline = chat.get("bot_ids" if caller.kind == "app" else "member_ids") or []
    if not caller.id:
        return bool(inline)
    return caller.id in inline or context.get("chat_member", (chat["chat_id"], caller.id)) is not None


def _member(context: AppContext, chat: Object, open_id: str, row: Object) -> Object:
    user = people.find_user(context, open_id) or {}
    return {
        "member_id": open_id,
        "name": user.get("name") or row.get("name", ""),
        "tenant_key": user.get("tenant_key") or row.get("tenant_key") or chat.get("tenant_key", ""),
    }
