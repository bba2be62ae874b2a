"""Name cards: a message may contain a chat or a person that the bot itself can see."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules import membership, people
from soundstage.kernels.lark.rules.errors import LarkError
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.lark.rules.im.messages import invalid_parameter, outside_group
from soundstage.kernels.lark.rules.im.receivers import check_reachable


def check_card(context: AppContext, bot: Caller, msg_type: str, parsed: Object) -> None:
    """Reject the card of a chat or person that the bot may not share.

    Raises:
        LarkError: The chat or person is unknown (230001), the chat is p2p (230015) or without the bot (230002), or the
            person is
            not reachable.
    """
    if msg_type == "share_chat":
        chat = context.get("chat", parsed["chat_id"])
        if chat is None:
            raise invalid_parameter("invalid chat_id")
        if chat.get("chat_mode") == "p2p":
            raise LarkError(230015, "P2P chat can NOT be shared.")
        if not membership.is_in(context, chat, bot):
            raise outside_group()
    if msg_type == "share_user":
        if parsed["user_id"].startswith("cli_"):
            raise invalid_parameter("this operation to bots is currently not supported")
        user = people.find_user(context, parsed["user_id"])
        if user is None:
            raise invalid_parameter("invalid user_id")
        check_reachable(context, bot, user)
