"""Chats: representation in lists, and the errors that all chat tools share."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import people
from soundstage.kernels.lark.rules.chat_avatars import avatar_url
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.types import Arguments

PAGE_SIZE, PAGE_LIMIT = 20, 100


def invalid_parameter() -> LarkError:
    """Return 232001."""
    return LarkError(232001, "Your request contains an invalid request parameter.")


def dissolved() -> LarkError:
    """Return 232009."""
    message = "Your request specifies a chat which has already been dissolved."
    return LarkError(232009, message, kind="not_found")


def no_external_chats() -> LarkError:
    """Return 232033."""
    message = "The operator or invited bots does NOT have the authority to manage external chats without the scope."
    return LarkError(232033, message, kind="permission")


def bot_inactive() -> LarkError:
    """Return 232025."""
    return LarkError(232025, "Bot ability is not activated.", kind="permission")


def check_app(context: AppContext, wording: str = "inactivated by the tenant") -> None:
    """Reject an app that the tenant has not enabled (232034) or that has no bot.

    The documentation words 232034 in two ways.
    """
    app = context.first("app") or {}
    if app.get("status", 1) != 1:
        raise LarkError(232034, f"The app is unavailable or {wording}.", kind="permission")
    if app.get("bot_enabled") is False:
        raise bot_inactive()


def page_size(params: Arguments) -> int:
    """Return the requested page size: 1 to 100, 20 by default.

    Raises:
        LarkError: 232001.
    """
    size = params.get("page_size", PAGE_SIZE)
    if not 1 <= size <= PAGE_LIMIT or size != int(size):
        raise invalid_parameter()
    return int(size)


def group_chats(context: AppContext) -> list[Object]:
    """Return every chat except p2p chats, which no list shows, oldest first."""
    return [chat for chat in context.list("chat", order="create_time") if chat.get("chat_mode") != "p2p"]


def is_owned_by_user(chat: Object) -> bool:
    """Return whether a person owns the chat; a bot as owner is never shown."""
    owner = chat.get("owner_id") or ""
    return bool(owner) and not owner.startswith("cli_")


def owner(context: AppContext, chat: Object, id_type: str) -> Object:
    """Return the owner fields, or none if a bot owns the chat."""
    if not is_owned_by_user(chat):
        return {}
    owner_id, owner_id_type = people.id_as(context, chat["owner_id"], id_type)
    return {"owner_id": owner_id, "owner_id_type": owner_id_type}


def to_list_entry(context: AppContext, chat: Object, id_type: str) -> Object:
    """Return a chat as lists and searches show it."""
    return {
        "avatar": chat.get("avatar") or avatar_url(),
        "chat_id": chat["chat_id"],
        "chat_status": chat.get("chat_status", "normal"),
        "description": chat.get("description", ""),
        "external": chat.get("external", False),
        "name": chat.get("name", ""),
        **owner(context, chat, id_type),
        "tenant_key": chat.get("tenant_key", ""),
    }


def p2p_chat(context: AppContext, bot: Caller, open_id: str) -> Object:
    """Return the chat between a bot and a user, creating it if necessary."""
    both = {"member_ids": [open_id], "bot_ids": [bot.id]}
    return context.first("chat", {"chat_mode": "p2p", **both}) or context.create(
        "chat",
        {
            "chat_mode": "p2p",
            "chat_status": "normal",
            "external": False,
            "tenant_key": bot.tenant_key,
            "create_time": str(to_ms(context.now())),
            **both,
        },
    )
