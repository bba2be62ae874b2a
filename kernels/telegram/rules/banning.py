"""Bans from supergroups and channels."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, peers
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import now_iso


def ban(client: Client, channel: Object, user: Object) -> None:
    """Ban a user permanently; an existing ban stays.

    Raises:
        Failed: The peer is a chat, the account itself, the creator, or an admin promoted by another one.
    """
    if not peers.is_user(user):
        raise Failed("PARTICIPANT_ID_INVALID")
    if user["id"] == client.id:
        raise Failed("USER_ID_INVALID")
    admin = client.context.get("admin_right", (channel["id"], user["id"]))
    if admin is None and user["id"] == client.owner and channel.get("admin"):
        admin = {}
    is_another_admins = (
        admin is not None and not chats.is_creator(client, channel) and admin.get("promoted_by") != client.id
    )
    if user["id"] == chats.creator_of(client, channel) or is_another_admins:
        raise Failed("USER_ADMIN_INVALID")
    chats.remove_member(client, channel, user["id"])
    if client.context.get("banned_user", (channel["id"], user["id"])) is None:
        banned = {"chat_id": channel["id"], "user_id": user["id"], "date": now_iso(client.context)}
        client.context.create("banned_user", banned)
