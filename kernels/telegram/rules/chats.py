"""Groups and channels: members, roles and permissions.

Admin rights belong to the creator and the admins. Except for the default account, the state names them by `admin_right`
rows and the chat's `creator_id`.
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules import peers
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Client

EVERY_RIGHT = (
    "change_info", "post_messages", "edit_messages", "delete_messages", "ban_users", "invite_users", "pin_messages",
    "add_admins", "anonymous", "manage_call", "manage_topics", "other",
)  # fmt: skip
USUAL_RIGHTS = {name: name not in ("add_admins", "anonymous") for name in EVERY_RIGHT}
"""The default rights of an admin."""


def is_member(client: Client, chat: Object) -> bool:
    """Return whether the account is in a chat; it is in chats whose members the state omits."""
    if client.is_own and (chat.get("creator") or chat.get("admin")):
        return True
    participants = chat.get("participants")
    return client.is_own if participants is None else client.id in participants


def is_creator(client: Client, chat: Object) -> bool:
    """Return whether the account created a chat."""
    return chat.get("creator_id") == client.id or (client.is_own and bool(chat.get("creator")))


def is_admin(client: Client, chat: Object) -> bool:
    """Return whether the account is the creator or an admin of a chat."""
    if is_creator(client, chat) or (client.is_own and chat.get("admin")):
        return True
    return client.context.get("admin_right", (chat["id"], client.id)) is not None


def needs_admin(client: Client, chat: Object) -> None:
    """Require that the account is an admin.

    Raises:
        Failed: CHAT_ADMIN_REQUIRED.
    """
    if not is_admin(client, chat):
        raise Failed("CHAT_ADMIN_REQUIRED")


def needs_to_edit(client: Client, chat_id: int | str, chat: Object, what: str) -> None:
    """Require that the account may edit a chat's title or photo.

    The server passes a basic group's marked id to Telegram, which does not know it: only the bare id works.

    Raises:
        Refusal: The peer is a user.
        Failed: CHAT_ID_INVALID for a marked id of a basic group, or see `needs_admin`.
    """
    if peers.is_user(chat):
        raise Refusal("invalid", f"Cannot {what} for this entity type (<class 'telethon.tl.types.User'>).")
    if peers.is_basic_group(chat) and chat_id != peers.bare_id(chat["id"]):
        raise Failed("CHAT_ID_INVALID")
    needs_admin(client, chat)


def rights_of(row: Object) -> dict[str, bool]:
    """Return the rights in an `admin_right` row."""
    given = row.get("rights")
    if given is None:
        return dict(USUAL_RIGHTS)
    return {name: bool(given.get(name)) for name in EVERY_RIGHT}


def creator_of(client: Client, chat: Object) -> int | None:
    """Return the id of a chat's creator, if the state has it."""
    if chat.get("creator_id") is not None:
        return int(chat["creator_id"])
    return client.owner if chat.get("creator") else None


def members(client: Client, chat: Object) -> list[Object]:
    """Return the users of a chat's member list, in its order."""
    users = (peers.user(client, member) for member in chat.get("participants") or ())
    return [user for user in users if user is not None]


def listed_members(client: Client, chat: Object) -> list[Object]:
    """Return the members of a basic group that the account is in, or the user of a private chat.

    The library lists these for such chats, whatever filter is requested.
    """
    if peers.is_user(chat):
        return [chat]
    return members(client, chat) if is_member(client, chat) else []


def count_members(chat: Object) -> int:
    """Return the number of members, which may exceed the number listed."""
    return max(len(chat.get("participants") or ()), chat.get("participants_count") or 0)


def shared_with(client: Client, person: Object) -> list[Object]:
    """Return the groups that list both the account and another person; Telegram does not count channels."""
    groups = [chat for chat in client.context.list("chat") if chat.get("type") != "channel"]
    return [c for c in groups if is_member(client, c) and person["id"] in (c.get("participants") or ())]


def add_members(client: Client, chat: Object, user_ids: list[int]) -> None:
    """Add users to a chat's member list."""
    listed = chat.get("participants") or []
    new = [user_id for user_id in dict.fromkeys(user_ids) if user_id not in listed]
    if new:
        client.context.update("chat", chat["id"], {"participants": [*listed, *new], **_counted(chat, len(new))})


def remove_member(client: Client, chat: Object, user_id: int) -> None:
    """Remove a user from a chat's members and admins; the creator remains its creator."""
    listed = chat.get("participants")
    changes: Object = {}
    if user_id in (listed or ()):
        changes = {"participants": [member for member in listed or () if member != user_id], **_counted(chat, -1)}
    elif listed is None and user_id == client.owner:  # the default account counts as a member of a chat without a list
        changes = {"participants": [], **_counted(chat, -1)}
    if user_id == client.owner:
        if chat.get("admin"):
            changes["admin"] = ABSENT
        if chat.get("creator"):
            changes |= {"creator": ABSENT, "creator_id": user_id}
    if changes:
        client.context.update("chat", chat["id"], changes)
    client.context.delete("admin_right", (chat["id"], user_id))


def _counted(chat: Object, change: int) -> Object:
    count = chat.get("participants_count")
    return {} if count is None else {"participants_count": count + change}
