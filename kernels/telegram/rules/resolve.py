"""Resolution of references: from an id, a handle, a phone number, a link or a nickname to a peer.

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

Result = TypeVar("Result")


def entity(client: Client, reference: Reference) -> Object:
    """Return the peer of a reference as `resolve_entity` does.

    Raises:
        AskUser: A free text matches no peer, or a nickname's id is no longer valid.
        Failed: Any other reference matches no peer.
    """
    return _asking(client, reference, "entity", lambda meant: get_entity(client, meant))


def input_peer(client: Client, reference: Reference) -> int:
    """Return the marked id of a reference as `resolve_input_entity` does.

    An unknown positive id counts as a basic group's, because the library does not ask Telegram about those; a request
    with it then fails (`known`).

    Raises:
        AskUser, Failed: See `entity`.
    """
    return _asking(client, reference, "input entity", lambda meant: _input_id(client, meant))


def known(client: Client, marked: int) -> Object:
    """Return the peer of a marked id in a request.

    Raises:
        Failed: PEER_ID_INVALID, or CHANNEL_PRIVATE for a private chat that the account is not in.
    """
    row = peers.peer(client, marked)
    if row is None:
        raise Failed("PEER_ID_INVALID")
    return _reachable(client, row)


def get_entity(client: Client, reference: Reference) -> Object:
    """Return the peer of a reference as the library alone does, without nicknames and questions.

    Raises:
        Failed: The reference matches no peer.
    """
    row = _by_number(client, reference) if isinstance(reference, int) else by_text(client, reference)
    if row is None:
        raise Failed("ValueError", f'Cannot find any entity corresponding to "{reference}"')
    return _reachable(client, row)


def input_entity(client: Client, reference: Reference) -> Object:
    """Return the peer of an id or handle that a tool passes to the library directly, as `iter_participants` does.

    Raises:
        Failed: The reference matches no peer; no question is asked.
    """
    return known(client, _input_id(client, reference))


def by_text(client: Client, text: str) -> Object | None:
    """Return the peer of a text: a contact's phone number, `me`, a username, a link or an exact name.

    Raises:
        Failed: The username is not in use, or the account is not in the chat of the invite link.
    """
    if phone := parse_phone(text):
        return next((u for u in peers.users(client) if u.get("contact") and u.get("phone") == phone), None)
    if text.lower() in _SELF:
        return client.me
    username, is_invite = parse_username(text)
    if is_invite:
        return _by_invite(client, username or "")
    if username:
        row = by_username(client, username)
        if row is None:
            raise Failed("ValueError", f'No user has "{username}" as username')
        return row
    return _by_name(client, text)


def by_username(client: Client, username: str) -> Object | None:
    """Return the user or chat with a username, ignoring case."""
    wanted = username.lower()
    for row in (*peers.users(client), *client.context.list("chat")):
        if (row.get("username") or "").lower() == wanted:
            return row
    return None


def parse_phone(text: str) -> str | None:
    """Return the digits of a phone number, or None for other texts."""
    digits = _PHONE_SIGNS.sub("", text)
    return digits if digits.isdigit() else None


def parse_username(text: str) -> tuple[str | None, bool]:
    """Return a username or an invite's hash, and whether it is the latter; (None, False) for other texts."""
    text = text.strip()
    if link := _LINK.match(text):
        text = text[link.end() :]
        if link.group(1) or link.group(2):
            return text, True
        text = text.rstrip("/")
    return (text.lower(), False) if _USERNAME.match(text) else (None, False)


def _asking(client: Client, reference: Reference, label: str, find: Callable[[Reference], Result]) -> Result:
    """Resolve a reference; raise a question if a free text or nickname matches no peer."""
    meant = aliases.resolve_alias(client.own_rows, reference)
    try:
        return find(meant)
    except Failed as failure:
        if failure.is_unresolved and (wording := aliases.wording_of(reference)):
            if isinstance(meant, int):
                raise aliases.ask_again(client.own_rows, wording, int(meant)) from None
            raise aliases.ask(client.own_rows, wording) from None
        if failure.code != "ValueError":
            raise
        if label == "entity" and isinstance(meant, int) and meant != 0 and _may_be_group(meant):
            raise Failed(
                "CHAT_ID_INVALID"
            ) from None  # the library finally asks Telegram for a basic group with that id
        marked = [peers.CHANNEL_MARK - meant, -meant] if isinstance(meant, int) and meant > 0 else []
        message = f"Could not resolve {label} for {meant!r}, including marked variants {marked}"
        raise Failed("ValueError", message) from None


def _input_id(client: Client, reference: Reference) -> int:
    if isinstance(reference, int):
        row = _by_number(client, reference)
        if row is not None:
            return int(row["id"])
        if reference == 0 or not _may_be_group(reference):
            raise Failed("ValueError")
        return -abs(int(reference))
    if reference in _SELF:
        return client.id
    row = _met(client, reference) or by_text(client, reference)
    if row is None:
        raise Failed("ValueError")
    return int(row["id"])


def _by_number(client: Client, number: int) -> Object | None:
    """Return the peer of an id; a positive id may also be a chat's without its mark.

    Raises:
        Failed: The id exceeds 64 bits.
    """
    if not -_RANGE <= number < _RANGE:
        raise Failed("struct.error", "int too large to convert")
    tried = (number, -number, peers.CHANNEL_MARK - number) if number > 0 else (number,)
    there = (peers.peer(client, int(marked)) for marked in tried if marked >= -_RANGE)
    return next((row for row in there if row is not None), None)


def _may_be_group(number: int) -> bool:
    """Return whether the library treats an unknown id, marked or not, as a basic group's."""
    return -abs(number) >= peers.CHANNEL_MARK


def _met(client: Client, text: str) -> Object | None:
    """Return a peer that the library remembers, by phone number (contact or not), username or exact name."""
    if phone := parse_phone(text):
        row = next((u for u in peers.users(client) if u.get("phone") == phone), None)
    else:
        username, is_invite = parse_username(text)
        row = by_username(client, username) if username and not is_invite else None
    return row or _by_name(client, text)


def _by_name(client: Client, name: str) -> Object | None:
    rows = (*peers.users(client), *client.context.list("chat"))
    return next((row for row in rows if name and peers.display_name(row) == name), None)


def _by_invite(client: Client, hash_: str) -> Object:
    _, chat = invites.leading_to(client, hash_, "CheckChatInviteRequest")
    if not is_member(client, chat):
        raise Failed("ValueError", "Cannot get entity from a channel (or group) that you are not part of.")
    return chat


def _reachable(client: Client, row: Object) -> Object:
    """Return a peer, unless it is a private chat that the account is not in."""
    if not peers.is_user(row) and row.get("private") and not is_member(client, row):
        raise Failed("CHANNEL_PRIVATE")
    return row
