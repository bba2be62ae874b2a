"""Who is meant: from an id, a handle, a phone, a link or a nickname to a peer.

Source: telegram_mcp/runtime.py (resolve_entity, resolve_input_entity) on Telethon's client/users.py (get_entity,
get_input_entity, _get_entity_from_string), utils.py (parse_phone, parse_username) and sessions/memory.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import aliases, invites, peers
from soundstage.kernels.telegram.rules.aliases import Reference
from soundstage.kernels.telegram.rules.chats import is_member
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client

_PHONE_SIGNS = re.compile(r"[+()\s-]")
_LINK = re.compile(r"@|(?:https?://)?(?:www\.)?(?:telegram\.(?:me|dog)|t\.me)/(@|\+|joinchat/)?|tg://(join)\?invite=")
_USERNAME = re.compile(r"[a-z](?:(?!__)\w){1,30}[a-z\d]\Z", re.IGNORECASE)
_SELF = ("me", "self")
_RANGE = 2**63

Found = TypeVar("Found")


def entity(client: Client, reference: Reference) -> Object:
    """The peer behind a reference, as `resolve_entity` finds it.

    Raises:
        AskUser: for free text that leads nowhere, and for a nickname whose id does.
        Failed: for any other reference that leads nowhere.
    """
    return _asking(client, reference, "entity", lambda meant: get_entity(client, meant))


def input_peer(client: Client, reference: Reference) -> int:
    """The marked id behind a reference, as `resolve_input_entity` finds it.

    An unknown positive id passes for a basic group's, since the library does not ask Telegram about those: what is then
    done with it fails (`known`).

    Raises:
        AskUser, Failed: as `entity`.
    """
    return _asking(client, reference, "input entity", lambda meant: _input_id(client, meant))


def known(client: Client, marked: int) -> Object:
    """The peer of a marked id where a request is made with it.

    Raises:
        Failed: PEER_ID_INVALID, or CHANNEL_PRIVATE for a private chat that the account is not in.
    """
    found = peers.peer(client, marked)
    if found is None:
        raise Failed("PEER_ID_INVALID")
    return _reachable(client, found)


def get_entity(client: Client, reference: Reference) -> Object:
    """The peer behind a reference as the library alone finds it, without nicknames and questions.

    Raises:
        Failed: where there is none.
    """
    found = _by_number(client, reference) if isinstance(reference, int) else by_text(client, reference)
    if found is None:
        raise Failed("ValueError", f'Cannot find any entity corresponding to "{reference}"')
    return _reachable(client, found)


def at_hand(client: Client, reference: Reference) -> Object:
    """The peer behind an id or handle that a tool hands to the library as it is, such as `iter_participants`.

    Raises:
        Failed: where there is none; nobody is asked then.
    """
    return known(client, _input_id(client, reference))


def by_text(client: Client, text: str) -> Object | None:
    """The peer behind a text: a contact's phone, `me`, a username or link, or somebody's exact name.

    Raises:
        Failed: for a username that nobody has, or an invite link of a chat that the account is not in.
    """
    if phone := parse_phone(text):
        return next((u for u in peers.users(client) if u.get("contact") and u.get("phone") == phone), None)
    if text.lower() in _SELF:
        return client.me
    username, is_invite = parse_username(text)
    if is_invite:
        return _by_invite(client, username or "")
    if username:
        found = by_username(client, username)
        if found is None:
            raise Failed("ValueError", f'No user has "{username}" as username')
        return found
    return _by_name(client, text)


def by_username(client: Client, username: str) -> Object | None:
    """The user or chat that has a username, in whatever letters."""
    wanted = username.lower()
    for row in (*peers.users(client), *client.context.list("chat")):
        if (row.get("username") or "").lower() == wanted:
            return row
    return None


def parse_phone(text: str) -> str | None:
    """The digits of a phone, or None for what is none."""
    digits = _PHONE_SIGNS.sub("", text)
    return digits if digits.isdigit() else None


def parse_username(text: str) -> tuple[str | None, bool]:
    """A username or an invite's hash out of a handle or link, and whether it is the latter; (None, False) for neither."""
    text = text.strip()
    if link := _LINK.match(text):
        text = text[link.end() :]
        if link.group(1) or link.group(2):
            return text, True
        text = text.rstrip("/")
    return (text.lower(), False) if _USERNAME.match(text) else (None, False)


def _asking(client: Client, reference: Reference, label: str, find: Callable[[Reference], Found]) -> Found:
    """Find somebody by a reference, and make a question of a free text that leads nowhere."""
    meant = aliases.stands_for(client.mine, reference)
    try:
        return find(meant)
    except Failed as failure:
        if failure.is_unresolved and (wording := aliases.wording_of(reference)):
            if isinstance(meant, int):
                raise aliases.ask_again(client.mine, wording, int(meant)) from None
            raise aliases.ask(client.mine, wording) from None
        if failure.code != "ValueError":
            raise
        if label == "entity" and isinstance(meant, int) and meant != 0 and _may_be_group(meant):
            raise Failed("CHAT_ID_INVALID") from None  # Telegram is asked for a basic group of that id at last
        marked = [peers.CHANNEL_MARK - meant, -meant] if isinstance(meant, int) and meant > 0 else []
        message = f"Could not resolve {label} for {meant!r}, including marked variants {marked}"
        raise Failed("ValueError", message) from None


def _input_id(client: Client, reference: Reference) -> int:
    if isinstance(reference, int):
        found = _by_number(client, reference)
        if found is not None:
            return int(found["id"])
        if reference == 0 or not _may_be_group(reference):
            raise Failed("ValueError")
        return -abs(int(reference))
    if reference in _SELF:
        return client.id
    found = _met(client, reference) or by_text(client, reference)
    if found is None:
        raise Failed("ValueError")
    return int(found["id"])


def _by_number(client: Client, number: int) -> Object | None:
    """The peer of an id; a positive one may also be a chat's without its mark. Beyond 64 bits there is none."""
    if not -_RANGE <= number < _RANGE:
        raise Failed("struct.error", "int too large to convert")
    tried = (number, -number, peers.CHANNEL_MARK - number) if number > 0 else (number,)
    there = (peers.peer(client, int(marked)) for marked in tried if marked >= -_RANGE)
    return next((found for found in there if found is not None), None)


def _may_be_group(number: int) -> bool:
    """Whether the library takes an id of nobody's, marked or not, for a basic group's."""
    return -abs(number) >= peers.CHANNEL_MARK


def _met(client: Client, text: str) -> Object | None:
    """Somebody in the library's memory: by phone (contact or not), username, or exact name."""
    if phone := parse_phone(text):
        found = next((u for u in peers.users(client) if u.get("phone") == phone), None)
    else:
        username, is_invite = parse_username(text)
        found = by_username(client, username) if username and not is_invite else None
    return found or _by_name(client, text)


def _by_name(client: Client, name: str) -> Object | None:
    rows = (*peers.users(client), *client.context.list("chat"))
    return next((row for row in rows if name and peers.display_name(row) == name), None)


def _by_invite(client: Client, hash_: str) -> Object:
    _, chat = invites.leading_to(client, hash_, "CheckChatInviteRequest")
    if not is_member(client, chat):
        raise Failed("ValueError", "Cannot get entity from a channel (or group) that you are not part of.")
    return chat


def _reachable(client: Client, found: Object) -> Object:
    """A peer, unless it is a private chat that the account is not in."""
    if not peers.is_user(found) and found.get("private") and not is_member(client, found):
        raise Failed("CHANNEL_PRIVATE")
    return found
