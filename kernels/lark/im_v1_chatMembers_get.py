"""The `im_v1_chatMembers_get` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import membership, people
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.lark.rules.im import chats
from soundstage.kernels.lark.rules.paging import page
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """List the people in a chat; bots are members but never listed."""
    params, chat_id = arguments.get("params", {}), arguments["path"]["chat_id"]
    scopes = ("im:chat", "im:chat:readonly", "im:chat.members:read", "im:chat.group_info:readonly")
    who = caller(context, arguments, *scopes)
    size = chats.page_size(params)
    chats.check_app(context)

    chat = context.get("chat", chat_id)
    if chat is None:
        raise LarkError(232006, "Your request specifies a chat_id which is invalid.", kind="not_found")
    if chat.get("chat_status", "normal") != "normal":
        raise chats.dissolved()
    if not chat.get("external") and people.is_foreign(chat, who.tenant_key):
        raise LarkError(232010, "Operator and chat can NOT be in different tenants.", kind="permission")
    if not membership.is_in(context, chat, who):
        raise LarkError(232011, "Operator can NOT be out of the chat.", kind="permission")
    if chat.get("external") and (context.first("app") or {}).get("external_sharing") is False:
        raise chats.no_external_chats()

    members = membership.members(context, chat)
    id_type = params.get("member_id_type", "open_id")
    query = {"tool": "im_v1_chatMembers_get", "who": who.id, "chat_id": chat_id}
    shown = page(members, size, params.get("page_token"), query, invalid=chats.invalid_parameter())
    return {
        "items": [_shown(context, member, id_type) for member in shown.items],
        "page_token": shown.token,
        "has_more": shown.has_more,
        "member_total": len(members),
    }


def _shown(context: AppContext, member: Object, id_type: str) -> Object:
    member_id, member_id_type = people.id_as(context, member["member_id"], id_type)
    return {"member_id_type": member_id_type, **member, "member_id": member_id}
