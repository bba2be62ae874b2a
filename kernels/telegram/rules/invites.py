"""Invite links: lookup of a hash, joining, and new links.

Source of the refusals: https://core.telegram.org/method/messages.importChatInvite and messages.exportChatInvite; their
texts are Telethon's (errors/rpcerrorlist.py).
"""

from __future__ import annotations

import re
from typing import Literal

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, dialogs, peers
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import now_iso

Request = Literal["CheckChatInviteRequest", "ImportChatInviteRequest"]

_HASH = re.compile(r"[A-Za-z0-9_-]{16,}\Z")
_SENTENCES = {
    "INVITE_HASH_EMPTY": "The invite hash is empty",
    "INVITE_HASH_EXPIRED": "The chat the user tried to join has expired and is not valid anymore",
    "INVITE_HASH_INVALID": "The invite hash is invalid",
    "INVITE_REQUEST_SENT": "You have successfully requested to join this chat or channel",
    "USERS_TOO_MUCH": "The maximum number of users has been exceeded (to create a chat, for example)",
}


def leading_to(client: Client, hash_: str, request: Request) -> tuple[Object, Object]:
    """Return the link of a hash and its chat.

    Raises:
        Failed: INVITE_HASH_EMPTY, INVITE_HASH_INVALID for a malformed hash, INVITE_HASH_EXPIRED for an unknown or
            expired one.
    """
    if not hash_:
        raise _refusal("INVITE_HASH_EMPTY", request)
    if not _HASH.match(hash_):
        raise _refusal("INVITE_HASH_INVALID", request)
    link = client.context.get("invite_link", hash_)
    chat = None if link is None else client.context.get("chat", link["chat_id"])
    if link is None or chat is None or link.get("expired"):
        raise _refusal("INVITE_HASH_EXPIRED", request)
    return link, chat


def member_of(client: Client, hash_: str) -> Object | None:
    """Return the chat of a hash if the account is in it; errors of the hash are reported by `join`."""
    try:
        _, chat = leading_to(client, hash_, "CheckChatInviteRequest")
    except Failed:
        return None
    return chat if chats.is_member(client, chat) else None


def join(client: Client, hash_: str) -> None:
    """Add the account to the chat of a hash.

    Raises:
        Failed: See `leading_to`; INVITE_REQUEST_SENT if an admin must approve; USERS_TOO_MUCH. For a banned account
            every
            link has expired.
    """
    link, chat = leading_to(client, hash_, "ImportChatInviteRequest")
    if client.context.get("banned_user", (chat["id"], client.id)) is not None:
        raise _refusal("INVITE_HASH_EXPIRED", "ImportChatInviteRequest")
    for flag, code in (("full", "USERS_TOO_MUCH"), ("request_needed", "INVITE_REQUEST_SENT")):
        if link.get(flag):
            raise _refusal(code, "ImportChatInviteRequest")
    chats.add_members(client, chat, [client.id])
    dialogs.to_top(client, chat["id"])


def verdict(failure: Failed) -> str | None:
    """Return the server's text for a failure, selected by words of its message, or None."""
    message = failure.message.lower()
    if "expired" in message:
        return "The invite hash has expired and is no longer valid."
    if "invalid" in message:
        return "The invite hash is invalid or malformed."
    return None


def export(client: Client, chat: Object) -> str:
    """Create a link of a chat and return it.

    Raises:
        Failed: The chat is private, or the account lacks the right.
    """
    if peers.is_user(chat):
        raise Failed("PEER_ID_INVALID")
    chats.needs_admin(client, chat)
    hash_ = client.context.new_id("invite_link")
    link = f"https://t.me/+{hash_}"
    row = {"hash": hash_, "chat_id": chat["id"], "link": link, "date": now_iso(client.context)}
    client.context.create("invite_link", row)
    return link


def _refusal(code: str, request: Request) -> Failed:
    return Failed(code, f"{_SENTENCES[code]} (caused by {request})")
