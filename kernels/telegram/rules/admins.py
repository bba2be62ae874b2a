"""Admins of supergroups and channels, their rights, and who may change them.

Source: https://core.telegram.org/method/channels.editAdmin
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules import chats, peers
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client

_LONGEST_RANK = 16


def edit(client: Client, chat: Object, user: Object, rights: Mapping[str, bool], rank: str) -> None:
    """Set a user's rights in a supergroup or channel; without any right the user is no longer an admin.

    A mutual contact who is not in the chat joins it.

    Raises:
        Failed: The peers have the wrong kind; the account may not change the user or lacks one of the rights; the title
            has
            more than 16 characters or emoji; another admin promoted the user, or the user is the owner; the user is
                neither in
            the chat nor a mutual contact.
    """
    channel, person = peers.as_channel(chat), peers.as_user(user)
    chats.needs_admin(client, channel)
    if len(rank) > _LONGEST_RANK:
        raise Failed("ADMIN_RANK_INVALID")
    if any(unicodedata.category(sign) == "So" for sign in rank):
        raise Failed("ADMIN_RANK_EMOJI_NOT_ALLOWED")
    _may_edit(client, channel, person)
    given = {name for name, value in rights.items() if value}
    if given - _own_rights(client, channel):
        raise Failed("RIGHT_FORBIDDEN")
    if person["id"] not in (channel.get("participants") or (person["id"],)):
        _may_join(person)
        if given:
            chats.add_members(client, channel, [person["id"]])
    _save(client, channel, person["id"], rights if given else None, rank)


def list_admins(client: Client, chat: Object) -> list[Object]:
    """Return the admins of a supergroup or channel: the creator, the default account, then the others."""
    rows = client.context.list("admin_right", {"chat_id": chat["id"]})
    own = client.owner if chat.get("admin") else None
    ids = dict.fromkeys((chats.creator_of(client, chat), own, *(row["user_id"] for row in rows)))
    users = (peers.user(client, int(user_id)) for user_id in ids if user_id is not None)
    return [user for user in users if user is not None]


def _may_edit(client: Client, channel: Object, person: Object) -> None:
    if person["id"] == chats.creator_of(client, channel):
        raise Failed("USER_ADMIN_INVALID")
    if person["id"] == client.id:
        raise Failed("USER_ID_INVALID")
    row = client.context.get("admin_right", (channel["id"], person["id"]))
    is_admin = row is not None or (person["id"] == client.owner and channel.get("admin"))
    if is_admin and not chats.is_creator(client, channel) and (row or {}).get("promoted_by") != client.id:
        raise Failed("USER_ADMIN_INVALID")


def _own_rights(client: Client, channel: Object) -> set[str]:
    """Return the rights that the account may grant: all for the owner, an admin's own rights otherwise.

    Admins seldom have `add_admins`.
    """
    if chats.is_creator(client, channel):
        return set(chats.EVERY_RIGHT)
    row = client.context.get("admin_right", (channel["id"], client.id))
    if row is None or row.get("rights") is None:
        return set(chats.EVERY_RIGHT) - {"add_admins"}
    return {name for name, value in chats.rights_of(row).items() if value}


def _may_join(person: Object) -> None:
    if not person.get("mutual_contact"):
        raise Failed("USER_NOT_MUTUAL_CONTACT")
    if person.get("privacy_no_invites"):
        raise Failed("USER_PRIVACY_RESTRICTED")


def _save(client: Client, channel: Object, user_id: int, rights: Mapping[str, bool] | None, rank: str) -> None:
    key = (channel["id"], user_id)
    if rights is None:
        client.context.delete("admin_right", key)
        if user_id == client.owner and channel.get("admin"):
            client.context.update("chat", channel["id"], {"admin": ABSENT})
        return
    values = {"rank": rank or ABSENT, "rights": {name: bool(rights.get(name)) for name in chats.EVERY_RIGHT}}
    if client.context.get("admin_right", key) is not None:
        client.context.update("admin_right", key, values)
        return
    row = {"chat_id": channel["id"], "user_id": user_id, **values, "promoted_by": client.id}
    client.context.create("admin_right", {name: value for name, value in row.items() if value is not ABSENT})
