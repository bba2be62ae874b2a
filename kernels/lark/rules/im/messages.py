"""Messages: shared errors, permission to send, and representation."""

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
    """Return 230001 with the reason that the real server puts after `ext=`.

    Reasons are listed in https://open.feishu.cn/document/faq/trouble-shooting/how-to-resolve-error-230001
    """
    return LarkError(230001, f"Your request contains an invalid request parameter, ext={reason}.")


def outside_group() -> LarkError:
    """Return 230002."""
    return LarkError(230002, "The bot can not be outside the group.", kind="permission")


def not_permitted(scope: str) -> LarkError:
    """Return 230027."""
    return LarkError(230027, f"Lack of necessary permissions, ext=need scope: {scope}", kind="permission")


def forbidden_by_settings() -> LarkError:
    """Return 230018."""
    message = "These operations are NOT allowed at current group settings."
    return LarkError(230018, message, kind="permission")


def check_bot(context: AppContext) -> None:
    """Require that the app has a bot."""
    if (context.first("app") or {}).get("bot_enabled") is False:
        raise LarkError(230006, "Bot ability is not activated.", kind="permission")


def check_may_speak(context: AppContext, chat: Object, bot: Caller) -> None:
    """Reject a bot that may not write in a chat.

    Raises:
        LarkError: The chat is dissolved (232009), the bot is not in it (230002), it is external and closed to the bot
            (230027), only selected members may speak (230018), or only owner and managers may (230035).
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
    """Return whether a bot owns or manages a chat; a chat without an owner belongs to the bot that created it."""
    owned = chat.get("owner_id", bot.id) in ("", bot.id)
    return owned or bot.id in (chat.get("bot_manager_id_list") or [])


def holds_threads(chat: Object) -> bool:
    """Return whether every message of a chat opens a thread."""
    return chat.get("group_message_type") == "thread" or chat.get("chat_mode") == "topic"


def to_reply(message: Object) -> Object:
    """Return a message as the API does; a recalled message has a fixed content."""
    answer = {field: message[field] for field in _SHOWN if field in message}
    if answer.get("deleted"):
        answer["body"] = {"content": RECALLED}
        answer.pop("mentions", None)
    return answer
