"""Pinned messages and the right to pin.

Source: https://core.telegram.org/method/messages.updatePinnedMessage
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules import chats, history, peers
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client


def may_pin(client: Client, peer: Object) -> None:
    """Require the right to pin: both sides of a private chat, admins, and members if the group allows it.

    Raises:
        Failed: CHAT_ADMIN_REQUIRED.
    """
    default = client.context.get("default_permission", peer["id"]) or {}
    if not peers.is_user(peer) and not (default.get("pin_messages") and chats.is_member(client, peer)):
        chats.needs_admin(client, peer)


def set_pinned(client: Client, peer: Object, message_id: int, *, pinned: bool) -> None:
    """Pin or unpin one message, whatever its previous state.

    Raises:
        Failed: The account lacks the right, or the message does not exist.
    """
    may_pin(client, peer)
    message = history.find(client, peer["id"], message_id)
    if message is None:
        raise Failed("MESSAGE_ID_INVALID")
    client.context.update("message", (message["chat_id"], message_id), {"pinned": pinned or ABSENT})
