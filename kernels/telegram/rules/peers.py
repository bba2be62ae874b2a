"""People, groups and channels as the library has them and as the server shows them.

A peer is a row of `user` or `chat`; its id is marked, so its sign and form tell what it is.
Source: telegram_mcp/runtime.py (get_entity_type, get_marked_id, format_entity)
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules.errors import Failed, cannot_cast
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.text import clean_name

CHANNEL_MARK = -1_000_000_000_000
"""What is taken from a supergroup's or channel's bare id to mark it."""

_TYPES = {"group": "Group (Basic)", "supergroup": "Supergroup", "channel": "Channel"}
_FILTERS = {"group": "group", "supergroup": "group", "channel": "channel"}
_CLASSES = {"group": "Chat", "supergroup": "Channel", "channel": "Channel"}
_RELATION = ("contact", "mutual_contact", "blocked")
_NAMES = ("first_name", "last_name")


def is_user(peer: Object) -> bool:
    return int(peer["id"]) > 0


def is_basic_group(peer: Object) -> bool:
    return CHANNEL_MARK < int(peer["id"]) < 0


def is_channel(peer: Object) -> bool:
    """Whether the library has a Channel of it: a supergroup or a broadcast channel."""
    return int(peer["id"]) < CHANNEL_MARK


def is_supergroup(peer: Object) -> bool:
    return is_channel(peer) and peer.get("type") == "supergroup"


def bare_id(marked: int) -> int:
    """An id without its mark."""
    return CHANNEL_MARK - marked if marked < CHANNEL_MARK else abs(marked)


def type_of(peer: Object) -> str:
    """`User`, `Group (Basic)`, `Supergroup` or `Channel`."""
    return "User" if is_user(peer) else _TYPES[peer["type"]]


def filter_type_of(peer: Object) -> str:
    """What `chat_type` arguments call it: user, group or channel."""
    return "user" if is_user(peer) else _FILTERS[peer["type"]]


def class_of(peer: Object) -> str:
    """The library's class, whose name some refusals show."""
    return "User" if is_user(peer) else _CLASSES[peer["type"]]


def as_user(peer: Object) -> Object:
    """A peer where a request wants a user.

    Raises:
        Failed: for a group or channel.
    """
    if not is_user(peer):
        raise cannot_cast("InputUser")
    return peer


def as_channel(peer: Object) -> Object:
    """A peer where a request wants a supergroup or channel.

    Raises:
        Failed: for a user or a basic group.
    """
    if not is_channel(peer):
        raise cannot_cast("InputChannel")
    return peer


def users(client: Client) -> list[Object]:
    """Everybody whom the account has met, as it sees them."""
    return [seen(client, row) for row in client.context.list("user")]


def contacts(client: Client) -> list[Object]:
    """The account's contacts."""
    return [row for row in users(client) if row.get("contact")]


def user(client: Client, user_id: int) -> Object | None:
    row = client.context.get("user", user_id)
    return None if row is None else seen(client, row)


def peer(client: Client, marked: int) -> Object | None:
    """The user or chat of a marked id."""
    return user(client, marked) if marked > 0 else client.context.get("chat", marked)


def seen(client: Client, row: Object) -> Object:
    """A user as the account sees it: its own contacts, its own names for them."""
    if client.is_own:
        return row
    known = client.mine.get("user", row["id"]) or {}
    # Names given to a contact stand for both: a last name that was left out is none.
    own = (*_RELATION, "self", *(_NAMES if any(name in known for name in _NAMES) else ()))
    plain = {name: value for name, value in row.items() if name not in own}
    return {**plain, **known, "self": row["id"] == client.id}


def relate(client: Client, user_id: int, changes: Object) -> None:
    """Change what a user is to the account: `contact`, `mutual_contact`, `blocked`, or the name it gave them."""
    if client.is_own:
        client.context.update("user", user_id, changes)
    else:
        client.mine.put("user", {"id": user_id}, changes)


def set_blocked(client: Client, user: Object, *, blocked: bool) -> None:
    """Block a user or lift the block, whatever it was before.

    Raises:
        Failed: for a group or channel, and for the account itself.
    """
    if not is_user(user) or user["id"] == client.id:
        raise Failed("CONTACT_ID_INVALID")
    if bool(user.get("blocked")) != blocked:
        relate(client, user["id"], {"blocked": blocked or ABSENT})


def full_name(row: Object) -> str:
    """First and last name, without one that is missing."""
    return " ".join(part for part in (row.get("first_name"), row.get("last_name")) if part)


def name_with_none(row: Object) -> str:
    """First and last name as an f-string joins them: a missing one is the word None."""
    return clean_name(f"{row.get('first_name')} {row.get('last_name')}".strip())


def name_in_list(row: Object) -> str:
    """A user's name in list_chats and get_chat: only a missing first name is the word None."""
    return clean_name(f"{row.get('first_name')}" + (f" {row['last_name']}" if row.get("last_name") else ""))


def display_name(row: Object) -> str:
    """A title or a person's name, as the library's own get_display_name has it."""
    return full_name(row) if is_user(row) else row.get("title") or ""


def short_name(row: Object) -> str | None:
    """A title, or a person's first name."""
    return row.get("first_name") if is_user(row) else row.get("title")


def as_contact(row: Object) -> dict[str, Any]:
    """A person in the lists of contacts: {id, name, username?, phone?}."""
    return {"id": row["id"], "name": name_with_none(row), **_present(row, "username", "phone")}


def as_member(row: Object) -> dict[str, Any]:
    """A person in the lists of members and admins: {id, name, username?}."""
    record: dict[str, Any] = {"id": row["id"], "name": name_with_none(row)}
    if row.get("username"):
        record["username"] = clean_name(row["username"])
    return record


def formatted(row: Object) -> dict[str, Any]:
    """A peer as format_entity has it: {id, name, type: user|group|channel, username?, phone?}; chats show no username."""
    if is_user(row):
        name = clean_name(full_name(row))
        return {"id": row["id"], "name": name, "type": "user", **_present(row, "username", "phone")}
    return {
        "id": row["id"],
        "name": clean_name(row.get("title")),
        "type": "group" if is_basic_group(row) else "channel",
    }


def _present(row: Object, *names: str) -> dict[str, Any]:
    return {name: row[name] for name in names if row.get(name)}
