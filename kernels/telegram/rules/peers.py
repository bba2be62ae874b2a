"""People, groups and channels in the library and in the server's replies.

A peer is a row of `user` or `chat`; the sign and size of its marked id indicate its kind. Source:
telegram_mcp/runtime.py (get_entity_type, get_marked_id, format_entity)
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import ABSENT, Object
from soundstage.kernels.telegram.rules.errors import Failed, cannot_cast
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.text import clean_name

CHANNEL_MARK = -1_000_000_000_000
"""The offset between a supergroup's or channel's marked and bare id."""

_TYPES = {"group": "Group (Basic)", "supergroup": "Supergroup", "channel": "Channel"}
_FILTERS = {"group": "group", "supergroup": "group", "channel": "channel"}
_CLASSES = {"group": "Chat", "supergroup": "Channel", "channel": "Channel"}
_RELATION = ("contact", "mutual_contact", "blocked")
_NAMES = ("first_name", "last_name")


def is_user(peer: Object) -> bool:
    """Return whether a peer is a user."""
    return int(peer["id"]) > 0


def is_basic_group(peer: Object) -> bool:
    """Return whether a peer is a basic group."""
    return CHANNEL_MARK < int(peer["id"]) < 0


def is_channel(peer: Object) -> bool:
    """Return whether the library represents a peer as a Channel: a supergroup or a broadcast channel."""
    return int(peer["id"]) < CHANNEL_MARK


def is_supergroup(peer: Object) -> bool:
    """Return whether a peer is a supergroup."""
    return is_channel(peer) and peer.get("type") == "supergroup"


def bare_id(marked: int) -> int:
    """Return an id without its mark."""
    return CHANNEL_MARK - marked if marked < CHANNEL_MARK else abs(marked)


def type_of(peer: Object) -> str:
    """Return `User`, `Group (Basic)`, `Supergroup` or `Channel`."""
    return "User" if is_user(peer) else _TYPES[peer["type"]]


def filter_type_of(peer: Object) -> str:
    """Return the value of `chat_type` arguments for a peer: user, group or channel."""
    return "user" if is_user(peer) else _FILTERS[peer["type"]]


def class_of(peer: Object) -> str:
    """Return the name of the library's class, which some errors show."""
    return "User" if is_user(peer) else _CLASSES[peer["type"]]


def as_user(peer: Object) -> Object:
    """Require a user, as a request does.

    Raises:
        Failed: The peer is a group or channel.
    """
    if not is_user(peer):
        raise cannot_cast("InputUser")
    return peer


def as_channel(peer: Object) -> Object:
    """Require a supergroup or channel, as a request does.

    Raises:
        Failed: The peer is a user or a basic group.
    """
    if not is_channel(peer):
        raise cannot_cast("InputChannel")
    return peer


def users(client: Client) -> list[Object]:
    """Return all known users as the account sees them."""
    return [view_user(client, row) for row in client.context.list("user")]


def contacts(client: Client) -> list[Object]:
    """Return the account's contacts."""
    return [row for row in users(client) if row.get("contact")]


def user(client: Client, user_id: int) -> Object | None:
    """Return a user as the account sees them."""
    row = client.context.get("user", user_id)
    return None if row is None else view_user(client, row)


def peer(client: Client, marked: int) -> Object | None:
    """Return the user or chat with a marked id."""
    return user(client, marked) if marked > 0 else client.context.get("chat", marked)


def view_user(client: Client, row: Object) -> Object:
    """Return a user as the account sees them, with its own contact state and names."""
    if client.is_own:
        return row
    known = client.own_rows.get("user", row["id"]) or {}
    # Names given to a contact replace both stored names: an omitted last name is absent.
    own = (*_RELATION, "self", *(_NAMES if any(name in known for name in _NAMES) else ()))
    plain = {name: value for name, value in row.items() if name not in own}
    return {**plain, **known, "self": row["id"] == client.id}


def relate(client: Client, user_id: int, changes: Object) -> None:
    """Change the account's relation to a user: `contact`, `mutual_contact`, `blocked`, or the given names."""
    if client.is_own:
        client.context.update("user", user_id, changes)
    else:
        client.own_rows.put("user", {"id": user_id}, changes)


def set_blocked(client: Client, user: Object, *, blocked: bool) -> None:
    """Block or unblock a user, whatever the previous state.

    Raises:
        Failed: The peer is a group, a channel, or the account itself.
    """
    if not is_user(user) or user["id"] == client.id:
        raise Failed("CONTACT_ID_INVALID")
    if bool(user.get("blocked")) != blocked:
        relate(client, user["id"], {"blocked": blocked or ABSENT})


def full_name(row: Object) -> str:
    """Return first and last name, omitting missing ones."""
    return " ".join(part for part in (row.get("first_name"), row.get("last_name")) if part)


def name_with_none(row: Object) -> str:
    """Return first and last name as an f-string joins them: a missing one is the word None."""
    return clean_name(f"{row.get('first_name')} {row.get('last_name')}".strip())


def name_in_list(row: Object) -> str:
    """Return a user's name as in list_chats and get_chat: only a missing first name is the word None."""
    return clean_name(f"{row.get('first_name')}" + (f" {row['last_name']}" if row.get("last_name") else ""))


def display_name(row: Object) -> str:
    """Return a title or a person's name, as the library's get_display_name."""
    return full_name(row) if is_user(row) else row.get("title") or ""


def short_name(row: Object) -> str | None:
    """Return a title or a person's first name."""
    return row.get("first_name") if is_user(row) else row.get("title")


def as_contact(row: Object) -> dict[str, Any]:
    """Return a person as lists of contacts show them: `{id, name, username?, phone?}`."""
    return {"id": row["id"], "name": name_with_none(row), **_present(row, "username", "phone")}


def as_member(row: Object) -> dict[str, Any]:
    """Return a person as lists of members and admins show them: `{id, name, username?}`."""
    record: dict[str, Any] = {"id": row["id"], "name": name_with_none(row)}
    if row.get("username"):
        record["username"] = clean_name(row["username"])
    return record


def format_entity(row: Object) -> dict[str, Any]:
    """Return a peer as format_entity does: `{id, name, type, username?, phone?}`.

    The type is user, group or channel; chats have no username.
    """
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
