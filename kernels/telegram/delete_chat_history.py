"""The `delete_chat_history` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import chats, dialogs, history, peers, resolve, wire
from soundstage.kernels.telegram.rules.errors import Failed, word_errors
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.types import Arguments

_REFUSED = {"CHAT_ADMIN_REQUIRED": "Cannot delete chat history: admin privileges are required."}


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Delete the messages of a private chat or a basic group.

    Source: https://core.telegram.org/method/messages.deleteHistory
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    with word_errors(_REFUSED):
        peer = resolve.entity(client, chat_id)
        count = _clear(client, peer, arguments["max_id"], for_all=arguments["revoke"])
    scope = "for both parties" if arguments["revoke"] else "for you"
    return f"Chat {chat_id} history cleared {scope}: {count} messages deleted (offset=0)."


def _clear(client: Client, peer: Object, max_id: int, *, for_all: bool) -> int:
    """Delete a chat's messages up to an id (0 for all); an empty private chat leaves the list."""
    wire.fits(max_id)
    if peers.is_channel(peer):
        raise Failed("PEER_ID_INVALID")
    if for_all and not peers.is_user(peer):
        chats.needs_admin(client, peer)
    deleted = history.newest(client, peer["id"], {"id <=": max_id} if max_id else None)
    for message in deleted:
        client.context.delete("message", (message["chat_id"], message["id"]))
    if peers.is_user(peer) and not history.newest(client, peer["id"]):
        dialogs.drop(client, peer["id"])
    return len(deleted)
