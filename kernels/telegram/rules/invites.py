"""Invite links: what a hash leads to, who joins by it, and new links.

Source of the refusals: https://core.telegram.org/method/messages.importChatInvite and messages.exportChatInvite; their sentences
are Telethon's (errors/rpcerrorlist.py).
"""

from __future__ import annotations

import re
from typing import Literal

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, dialogs, peers
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.moments import now_iso
from soundstage.kernels.telegram.rules.server import Client

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
    """The link of a hash, and the chat that it leads to.

    Raises:
        Failed: INVITE_HASH_EMPTY, INVITE_HASH_INVALID for what is no hash, INVITE_HASH_EXPIRED for one that is not or no
            longer known.
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
    """The chat behind a hash, if the account is in it. What is wrong with the hash is told by joining."""
    try:
        _, chat = leading_to(client, hash_, "CheckChatInviteRequest")
    except Failed:
        return None
    return chat if chats.is_member(client, chat) else None


def join(client: Client, hash_: str) -> None:
    """Make the account a member of the chat behind a hash.

    Raises:
        Failed: as `leading_to`; INVITE_REQUEST_SENT where an admin decides; USERS_TOO_MUCH. To whoever is banned there, any
            link has expired.
    """
    link, chat = leading_to(client, hash_, "ImportChatInviteRequest")
    if client.context.get("banned_user", (chat["id"], client.id)) is not None:
        raise _refusal("INVITE_HASH_EXPIRED", "ImportChatInviteRequest")
    for flag, code in (("full", "USERS_TOO_MUCH"), ("request_needed", "INVITE_REQUEST_SENT")):
        if link.get(flag):
            raise _refusal(code, "ImportChatInviteRequest")
    chats.take_in(client, chat, [client.id])
    dialogs.to_top(client, chat["id"])


def verdict(failure: Failed) -> str | None:
    """What the server makes of a failure by the words of its sentence; None where it has no sentence of its own."""
    said = failure.message.lower()
    if "expired" in said:
        return "The invite hash has expired and is no longer valid."
    if "invalid" in said:
        return "The invite hash is invalid or malformed."
    return None


def export(client: Client, chat: Object) -> str:
    """A new link of a chat.

    Raises:
        Failed: for a private chat, and without the right.
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
