"""Messages: the refusals that sending and reading share, who may speak in a chat, and how a message is shown."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import membership
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.lark.rules.im import chats

RECALLED = "This message was recalled"
_SHOWN = (
    "message_id", "root_id", "parent_id", "thread_id", "msg_type", "create_time", "update_time", "deleted", "updated",
    "chat_id", "sender", "body", "mentions", "upper_message_id",
)  # fmt: skip


def invalid_parameter(reason: str) -> LarkError:
    """230001 with the reason that the real server puts behind `ext=`; reasons are listed in
    https://open.feishu.cn/document/faq/trouble-shooting/how-to-resolve-error-230001
    """
    return LarkError(230001, f"Your request contains an invalid request parameter, ext={reason}.")


def outside_group() -> LarkError:
    return LarkError(230002, "The bot can not be outside the group.", kind="permission")


def not_permitted(scope: str) -> LarkError:
    return LarkError(230027, f"Lack of necessary permissions, ext=need scope: {scope}", kind="permission")


def forbidden_by_settings() -> LarkError:
    message = "These operations are NOT allowed at current group settings."
    return LarkError(230018, message, kind="permission")


def check_bot(context: AppContext) -> None:
    if (context.first("app") or {}).get("bot_enabled") is False:
        raise LarkError(230006, "Bot ability is not activated.", kind="permission")


def check_may_speak(context: AppContext, chat: Object, bot: Caller) -> None:
    """Refuse a bot that may not write in a chat.

    Raises:
        LarkError: the chat is dissolved (232009), the bot outside (230002), an external chat is closed to it (230027),
            only chosen members may speak (230018), or only owner and managers may (230035).
    """
    if chat.get("chat_status", "normal") != "normal":
        raise chats.dissolved()
    if not membership.is_in(context, chat, bot):
        raise outside_group()
    if chat.get("external") and (context.first("app") or {}).get("external_sharing") is False:
        raise LarkError(230027, "Lack of necessary permissions.", kind="permission")
    speakers = chat.get("moderation_permission", "all_members")
    if speakers == "all_members" or is_manager(chat, bot):
        return
    if speakers == "only_owner":
        raise LarkError(230035, "Send Message Permission deny.", kind="permission")
    if bot.id not in (chat.get("moderator_id_list") or []):
        raise forbidden_by_settings()


def is_manager(chat: Object, bot: Caller) -> bool:
    """Whether a bot owns a chat or manages it. A chat without an owner's id belongs to the bot that made it."""
    owned = chat.get("owner_id", bot.id) in ("", bot.id)
    return owned or bot.id in (chat.get("bot_manager_id_list") or [])


def holds_threads(chat: Object) -> bool:
    """Whether every message of a chat opens a thread."""
    return chat.get("group_message_type") == "thread" or chat.get("chat_mode") == "topic"


def shown(message: Object) -> Object:
    """A message as the API answers it. Of a recalled one the frame stays and the content is fixed."""
    answer = {field: message[field] for field in _SHOWN if field in message}
    if answer.get("deleted"):
        answer["body"] = {"content": RECALLED}
        answer.pop("mentions", None)
    return answer
