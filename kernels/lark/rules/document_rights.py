"""Rights on documents, bases and wiki nodes.

The owner has all rights, collaborators those of their `permission_member`. If the state has no collaborator at all,
everyone has all rights; but an object created by an app belongs to the app until it is shared.
"""

from __future__ import annotations

from collections.abc import Sequence

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import membership
from soundstage.kernels.lark.rules.identity import Caller

NONE, VIEW, EDIT, FULL_ACCESS = range(4)
RIGHTS = {"view": VIEW, "edit": EDIT, "full_access": FULL_ACCESS}


def right_of(context: AppContext, caller: Caller, owner_id: str | None, tokens: Sequence[str]) -> int:
    """Return the caller's right, NONE to FULL_ACCESS, on an object with these tokens.

    A wiki node also has its document's token.
    """
    if not caller.id or owner_id == caller.id:
        return FULL_ACCESS
    members = [member for token in tokens for member in context.list("permission_member", {"token": token})]
    if not members and not (owner_id or "").startswith("cli_"):
        return FULL_ACCESS
    names = _names(context, caller)
    granted = [
        RIGHTS.get(member.get("perm", ""), NONE)
        for member in members
        if (member["member_type"], member["member_id"]) in names
        or (member["member_type"] == "openchat" and _is_in(context, member["member_id"], caller))
    ]
    return max(granted, default=NONE)


def _is_in(context: AppContext, chat_id: str, caller: Caller) -> bool:
    chat = context.get("chat", chat_id)
    return chat is not None and membership.is_in(context, chat, caller)


def _names(context: AppContext, caller: Caller) -> set[tuple[str, str]]:
    """Return the names of the caller in `permission_member`: (member_type, member_id)."""
    if caller.kind == "app":
        return {("appid", caller.id), ("openid", caller.id)}
    user: Object = context.get("user", caller.id) or {"open_id": caller.id}
    fields = {
        "openid": "open_id",
        "unionid": "union_id",
        "userid": "user_id",
        "email": "email",
        "opendepartmentid": "department",
    }
    return {(kind, user[field]) for kind, field in fields.items() if user.get(field)}
