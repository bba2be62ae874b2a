"""Groups and channels: who is in them, who may do what, and their members.

Right of an admin means creator or admin. Where the state names somebody besides its own account, it does so by `admin_right`
rows and the chat's `creator_id`.
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules import peers
from soundstage.kernels.telegram.rules.errors import Failed, Said
from soundstage.kernels.telegram.rules.server import Client

EVERY_RIGHT = (
    "change_info", "post_messages", "edit_messages", "delete_messages", "ban_users", "invite_users", "pin_messages",
    "add_admins", "anonymous", "manage_call", "manage_topics", "other",
)  # fmt: skip
USUAL_RIGHTS = {name: name not in ("add_admins", "anonymous") for name in EVERY_RIGHT}
"""What an admin may do, unless somebody says otherwise."""


def is_member(client: Client, chat: Object) -> bool:
    """Whether the account is in a chat. One whose members the state leaves out is taken for a chat that it is in."""
    if client.is_own and (chat.get("creator") or chat.get("admin")):
        return True
    participants = chat.get("participants")
    return client.is_own if participants is None else client.id in participants


def is_creator(client: Client, chat: Object) -> bool:
    return chat.get("creator_id") == client.id or (client.is_own and bool(chat.get("creator")))


def is_admin(client: Client, chat: Object) -> bool:
    """Whether the account is the chat's creator or an admin."""
    if is_creator(client, chat) or (client.is_own and chat.get("admin")):
        return True
    return client.context.get("admin_right", (chat["id"], client.id)) is not None


def needs_admin(client: Client, chat: Object) -> None:
    """Refuse to whoever is no admin.

    Raises:
        Failed: CHAT_ADMIN_REQUIRED.
    """
    if not is_admin(client, chat):
        raise Failed("CHAT_ADMIN_REQUIRED")


def needs_to_edit(client: Client, chat_id: int | str, chat: Object, what: str) -> None:
    """Editing a chat's title or photo, as the server asks Telegram for it.

    A basic group's marked id goes to Telegram as it is, which knows no such group: only its bare id works.

    Raises:
        Said: for a user.
        Failed: CHAT_ID_INVALID for such an id; and as `needs_admin`.
    """
    if peers.is_user(chat):
        raise Said("invalid", f"Cannot {what} for this entity type (<class 'telethon.tl.types.User'>).")
    if peers.is_basic_group(chat) and chat_id != peers.bare_id(chat["id"]):
        raise Failed("CHAT_ID_INVALID")
    needs_admin(client, chat)


def rights_of(row: Object) -> dict[str, bool]:
    """The rights of an `admin_right`."""
    given = row.get("rights")
    if given is None:
        return dict(USUAL_RIGHTS)
    return {name: bool(given.get(name)) for name in EVERY_RIGHT}


def creator_of(client: Client, chat: Object) -> int | None:
    """The id of whoever created a chat, as far as the state says."""
    if chat.get("creator_id") is not None:
        return int(chat["creator_id"])
    return client.owner if chat.get("creator") else None


def members(client: Client, chat: Object) -> list[Object]:
    """The users of a chat's member list, in its order."""
    found = (peers.user(client, member) for member in chat.get("participants") or ())
    return [user for user in found if user is not None]


def everybody(client: Client, chat: Object) -> list[Object]:
    """The members of a basic group that the account is in; a user is the one member of the chat with them.

    This is what the library lists for those, whichever members are asked for.
    """
    if peers.is_user(chat):
        return [chat]
    return members(client, chat) if is_member(client, chat) else []


def count_members(chat: Object) -> int:
    """How many are in a chat, which may be more than are listed."""
    return max(len(chat.get("participants") or ()), chat.get("participants_count") or 0)


def shared_with(client: Client, person: Object) -> list[Object]:
    """The groups that the account and somebody else are both listed in; Telegram does not count channels."""
    groups = [chat for chat in client.context.list("chat") if chat.get("type") != "channel"]
    return [c for c in groups if is_member(client, c) and person["id"] in (c.get("participants") or ())]


def take_in(client: Client, chat: Object, user_ids: list[int]) -> None:
    """Add users to a chat's member list."""
    listed = chat.get("participants") or []
    new = [user_id for user_id in dict.fromkeys(user_ids) if user_id not in listed]
    if new:
        client.context.update("chat", chat["id"], {"participants": [*listed, *new], **_counted(chat, len(new))})


def put_out(client: Client, chat: Object, user_id: int) -> None:
    """Take somebody off a chat's member list and out of its admins. Whoever created it stays its creator."""
    listed = chat.get("participants")
    changes: Object = {}
    if user_id in (listed or ()):
        changes = {"participants": [member for member in listed or () if member != user_id], **_counted(chat, -1)}
    elif listed is None and user_id == client.owner:  # of members whom nobody has listed, the state's account is one
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
