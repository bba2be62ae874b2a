"""Pinned messages, and who may pin.

Source: https://core.telegram.org/method/messages.updatePinnedMessage
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules import chats, history, peers
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client


def may_pin(client: Client, peer: Object) -> None:
    """Refuse whoever may not pin: in a private chat either side may, elsewhere admins, and all where a group lets them.

    Raises:
        Failed: CHAT_ADMIN_REQUIRED.
    """
    default = client.context.get("default_permission", peer["id"]) or {}
    if not peers.is_user(peer) and not (default.get("pin_messages") and chats.is_member(client, peer)):
        chats.needs_admin(client, peer)


def set_pinned(client: Client, peer: Object, message_id: int, *, pinned: bool) -> None:
    """Pin or unpin one message, whatever it was before.

    Raises:
        Failed: without the right, or for a message that is not there.
    """
    may_pin(client, peer)
    message = history.find(client, peer["id"], message_id)
    if message is None:
        raise Failed("MESSAGE_ID_INVALID")
    client.context.update("message", (message["chat_id"], message_id), {"pinned": pinned or ABSENT})
