"""The `im_v1_chat_create` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.chat_avatars import avatar_url
from soundstage.kernels.lark.rules.errors import field_violation
from soundstage.kernels.lark.rules.idempotency import HOUR_S, already_made, remember
from soundstage.kernels.lark.rules.identity import as_app
from soundstage.kernels.lark.rules.im import chats
from soundstage.kernels.lark.rules.im.chat_settings import chosen_name, chosen_settings
from soundstage.kernels.lark.rules.im.invitations import check_tenants, invited_bots, invited_people
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Create a group chat; the calling bot joins it, and owns it if no owner is named."""
    data, params = arguments.get("data", {}), arguments.get("params", {})
    bot = as_app(context, "im:chat", "im:chat:create")
    for field, sent, longest in (
        ("uuid", params.get("uuid", ""), 50),
        ("user_id_list", data.get("user_id_list", []), 50),
        ("bot_id_list", data.get("bot_id_list", []), 5),
    ):
        if len(sent) > longest:
            raise field_violation(field, f"the max len is {longest}")
    chats.check_app(context)

    id_type = params.get("user_id_type", "open_id")
    owner_id = data.get("owner_id") or ""
    repeated = f"im_v1_chat_create:{owner_id}"
    made = already_made(context, repeated, params.get("uuid"), str, within_s=10 * HOUR_S)
    if made is not None and (chat := context.get("chat", made)):
        return _created(context, chat, id_type)

    settings = chosen_settings(data)
    name = chosen_name(data, settings["chat_type"])
    people = invited_people(context, [*([owner_id] if owner_id else []), *data.get("user_id_list", [])], id_type)
    bots = invited_bots(context, data.get("bot_id_list", []))
    owner = people[0] if owner_id else None
    external = check_tenants(context, bot, owner, people, settings["chat_type"])
    chat = {
        "chat_id": context.new_id("chat"),
        "avatar": avatar_url(data.get("avatar", "")),
        "name": name,
        "description": data.get("description", ""),
        "i18n_names": data.get("i18n_names", {}),
        **settings,
        "chat_tag": "inner",
        "chat_status": "normal",
        "external": external,
        "tenant_key": bot.tenant_key,
        "member_ids": [user["open_id"] for user in people],
        "bot_ids": list(dict.fromkeys([bot.id, *bots])),
        "create_time": str(to_ms(context.now())),
    }
    if owner is not None:
        chat |= {"owner_id": owner["open_id"], "owner_id_type": "open_id"}
        if params.get("set_bot_manager"):
            chat["bot_manager_id_list"] = [bot.id]
    context.create("chat", chat)
    remember(context, repeated, params.get("uuid"), chat["chat_id"])
    return _created(context, chat, id_type)


def _created(context: AppContext, chat: Object, id_type: str) -> Object:
    """Return the new chat as the reply shows it, without its members."""
    shown = (
        "chat_id", "avatar", "name", "description", "i18n_names", "owner_id", "owner_id_type", "urgent_setting",
        "video_conference_setting", "add_member_permission", "share_card_permission", "at_all_permission",
        "edit_permission", "group_message_type", "chat_mode", "chat_type", "chat_tag", "external", "tenant_key",
        "join_message_visibility", "leave_message_visibility", "membership_approval", "moderation_permission",
        "restricted_mode_setting", "hide_member_count_setting",
    )  # fmt: skip
    answer = {**chat, **chats.owner(context, chat, id_type)}
    return {field: answer[field] for field in shown if field in answer}
