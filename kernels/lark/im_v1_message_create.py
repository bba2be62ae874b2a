"""The `im_v1_message_create` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.errors import field_violation
from soundstage.kernels.lark.rules.idempotency import HOUR_S, already_made, remember
from soundstage.kernels.lark.rules.identity import as_app, lacks
from soundstage.kernels.lark.rules.im import messages
from soundstage.kernels.lark.rules.im.content import parse, to_stored
from soundstage.kernels.lark.rules.im.mentions import Mentions
from soundstage.kernels.lark.rules.im.name_cards import check_card
from soundstage.kernels.lark.rules.im.receivers import chat_of
from soundstage.kernels.types import Arguments

_SYSTEM_SCOPE = "im:message:send_sys_msg"


def run(context: AppContext, arguments: Arguments) -> Object:
    """Send a message as the bot to a chat that it is in, or to a person, which opens their p2p chat."""
    data, receive_id_type = arguments["data"], arguments["params"]["receive_id_type"]
    bot = as_app(context, "im:message", "im:message:send_as_bot", "im:message:send")
    for field in ("receive_id", "msg_type", "content"):
        if not data[field]:
            raise field_violation(field, f"{field} is required")
    if len(data.get("uuid", "")) > 50:
        raise field_violation("uuid", "the max len is 50")
    messages.check_bot(context)

    msg_type = data["msg_type"]
    parsed = parse(msg_type, data["content"])
    made = already_made(context, "im_v1_message_create", data.get("uuid"), str, within_s=HOUR_S)
    if made is not None and (earlier := context.get("message", made)):
        return messages.to_reply(earlier)

    chat = chat_of(context, bot, receive_id_type, data["receive_id"])
    messages.check_may_speak(context, chat, bot)
    if msg_type == "system":
        if chat.get("chat_mode") != "p2p":
            raise messages.invalid_parameter("sending system messages in group chats is not supported")
        if lacks(context, _SYSTEM_SCOPE):
            raise messages.not_permitted(_SYSTEM_SCOPE)
    check_card(context, bot, msg_type, parsed)

    mentions = Mentions(context, chat, bot)
    now = str(to_ms(context.now()))
    message = {
        "message_id": context.new_id("message"),
        "msg_type": msg_type,
        "create_time": now,
        "update_time": now,
        "deleted": False,
        "updated": False,
        "chat_id": chat["chat_id"],
        "sender": {"id": bot.id, "id_type": "app_id", "sender_type": "app", "tenant_key": bot.tenant_key},
        "body": {"content": to_stored(msg_type, parsed, mentions, data["content"])},
    }
    if mentions.mentioned:
        message["mentions"] = mentions.mentioned
    if messages.holds_threads(chat):
        message["thread_id"] = context.new_id("thread", "omt_{hex:16}")
    context.create("message", message)
    remember(context, "im_v1_message_create", data.get("uuid"), message["message_id"])
    return messages.to_reply(message)
