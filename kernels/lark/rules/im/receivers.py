"""The receiver of a message: a chat, or a person, who is reached in the p2p chat."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import membership, people
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.lark.rules.im import chats
from soundstage.kernels.lark.rules.im.messages import invalid_parameter

_ANY_ID = re.compile(r"(ou|on|oc|cli)_\w+|[^@\s]+@[^@\s]+", re.ASCII)


def chat_of(context: AppContext, bot: Caller, receive_id_type: str, receive_id: str) -> Object:
    """Return the chat for a message to this receiver, creating a p2p chat if necessary.

    Raises:
        LarkError: The receiver is unknown (230034) or not an id at all (230001), or the person cannot be reached (see
            `check_reachable`).
    """
    if receive_id_type == "chat_id":
        chat = context.get("chat", receive_id)
        if chat is None:
            raise _no_receiver(receive_id_type, receive_id)
        if chat.get("chat_mode") == "p2p":
            for member in membership.members(context, chat):
                known = people.find_user(context, member["member_id"])
                check_reachable(context, bot, known or {"open_id": member["member_id"]})
        return chat
    user = people.find_user(context, receive_id, receive_id_type)
    if user is None:
        raise _no_receiver(receive_id_type, receive_id)
    check_reachable(context, bot, user)
    return chats.p2p_chat(context, bot, user["open_id"])


def check_reachable(context: AppContext, bot: Caller, user: Object) -> None:
    """Reject a person who is out of the bot's reach.

    Raises:
        LarkError: The person has resigned (230029), has left or is outside the app's availability range (230013), or
            belongs to
            another tenant while the app works only in its own (230038).
    """
    if people.has_resigned(user):
        raise LarkError(230029, "User has resigned.", kind="not_found")
    if people.has_exited(user) or not people.may_use_app(context, user.get("open_id", "")):
        raise LarkError(230013, "Bot has NO availability to this user.", kind="permission")
    if people.is_foreign(user, bot.tenant_key) and not (context.first("app") or {}).get("external_sharing"):
        raise LarkError(230038, "Cross tenant p2p chat operate forbid.", kind="permission")


def _no_receiver(receive_id_type: str, receive_id: str) -> LarkError:
    is_id = people.is_well_formed(receive_id, "user_id") if receive_id_type == "user_id" else False
    if is_id or _ANY_ID.fullmatch(receive_id):
        return LarkError(230034, "The receive_id is invalid.", kind="not_found")
    return invalid_parameter("invalid receive_id")
