"""Members of a chat.

Members are stored inline (`member_ids` with open_ids, `bot_ids` with app_ids) or as `chat_member` rows; both count.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.identity import Caller


def members(context: AppContext, chat: Object) -> list[Object]:
    """Return the people in a chat in order of joining: `{member_id, name, tenant_key}`, without bots.

    `member_id` is an open_id.
    """
    rows = context.list("chat_member", {"chat_id": chat["chat_id"]})
    rows_by_id: dict[str, Object] = {open_id: {} for open_id in chat.get("member_ids") or []}
    for row in rows:
        if not row["member_id"].startswith("cli_"):
            rows_by_id[row["member_id"]] = row
    return [_member(context, chat, open_id, row) for open_id, row in rows_by_id.items()]


def is_in(context: AppContext, chat: Object, caller: Caller) -> bool:
    """Return whether the caller is in a chat; a caller without an id is in every chat with members of that kind."""
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
