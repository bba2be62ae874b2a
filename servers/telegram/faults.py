"""Telegram's faults: errors of the client library, and drifts caused by other people.

Each tool catches every error of the client library and returns a generic text: a flood wait, a lost connection and a
revoked session look the same. Only joining by a link shows the library's own text.
"""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.telegram.rules import history, peers
from soundstage.kernels.telegram.rules.errors import generic_text
from soundstage.kernels.telegram.rules.server import Client, server_of
from soundstage.kernels.telegram.rules.times import now_iso
from soundstage.servers.faults import Hit, any_row, said
from soundstage.servers.reply import Answer

_LIBRARY = "Telethon 1.45, errors/rpcerrorlist.py"
SOURCES = {
    "rate_limit": f"{_LIBRARY} (FloodWaitError), as telegram_mcp/runtime.py words it (log_and_format_error)",
    "unavailable": "Telethon 1.45, network/mtprotosender.py (ConnectionError), as telegram_mcp/runtime.py words it",
    "server_error": f"{_LIBRARY} (RpcCallFailError), as telegram_mcp/runtime.py words it",
    "auth_expired": f"{_LIBRARY} (AuthKeyUnregisteredError), as telegram_mcp/runtime.py words it",
    "timeout": "Python's asyncio.TimeoutError, whose text is empty, as telegram_mcp/runtime.py words it",
}
_JOINS = "join_chat_by_link"
_CAUSE = " (caused by ImportChatInviteRequest)"
_WORDS = ("Are you there?", "ok, five minutes", "look at the last one again, please", "👍")


def rate_limit(hit: Hit) -> Answer:
    """Word a flood wait."""
    return _raised(hit, f"A wait of {hit.seconds} seconds is required{_CAUSE}", "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Word a lost connection."""
    return _raised(hit, "Cannot send requests while disconnected", "unavailable")


def server_error(hit: Hit) -> Answer:
    """Word an internal error of Telegram."""
    return _raised(hit, f"Telegram is having internal issues, please try again later.{_CAUSE}", "internal")


def auth_expired(hit: Hit) -> Answer:
    """Word a revoked session."""
    return _raised(hit, f"The key is not registered in the system{_CAUSE}", "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Word a timeout."""
    return _raised(hit, "", "unavailable")


def message_arrives(context: AppContext, random: Random) -> bool:
    """Add a message of another user to a chat where that user wrote before, and count it as unread."""
    client = _client(context)
    last = _by_others(context, client, random)
    if client is None or last is None:
        return False
    fields = {
        name: last[name] for name in ("chat_id", "sender_id", "owner_id", "topic_id") if last.get(name) is not None
    }
    number = history.next_id(client, int(last["chat_id"]))
    context.create("message", {**fields, "id": number, "text": random.choice(_WORDS), "date": now_iso(context)})
    dialog = None if last.get("owner_id") is not None else context.get("dialog", last["chat_id"])
    if dialog is not None:
        unread = int(dialog.get("unread_count") or 0) + 1
        context.update("dialog", last["chat_id"], {"unread_count": unread, "date": now_iso(context)})
    return True


def message_edited(context: AppContext, random: Random) -> bool:
    """Edit a message on behalf of its author."""
    old = _by_others(context, _client(context), random)
    if old is None:
        return False
    text = f"{old.get('text') or ''} (edit: tomorrow)".strip()
    context.update("message", (old["chat_id"], old["id"]), {"text": text, "edit_date": now_iso(context)})
    return True


DRIFTS = {"message_arrives": message_arrives, "message_edited": message_edited}


def _client(context: AppContext) -> Client | None:
    """Return the client of the only account, or None if none is logged in."""
    server = server_of(context)
    try:
        return server.client() if len(server.labels()) == 1 else None
    except AppError:
        return None


def _by_others(context: AppContext, client: Client | None, random: Random) -> Object | None:
    """Return a message of another user that is not a channel's post."""
    message = any_row(context, "message", random, {"sender_id >": peers.CHANNEL_MARK})
    return None if client is None or message is None or message["sender_id"] == client.id else message


def _raised(hit: Hit, error: str, kind: ErrorKind) -> Answer:
    """Word an error that the library raises in a tool."""
    text = f"Error joining chat: {error}" if hit.tool.name == _JOINS else generic_text(hit.tool.name)
    return said(hit, text, kind)
