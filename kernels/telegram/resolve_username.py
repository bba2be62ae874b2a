"""The `resolve_username` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import library, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.reprs import Tl
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the owner of a username, in the library's notation."""
    client = server.client()
    peer_row = resolve.by_username(client, arguments["username"]) if arguments["username"] else None
    if peer_row is None:
        raise Failed("USERNAME_NOT_OCCUPIED")
    if peers.is_user(peer_row):
        peer = Tl("PeerUser", user_id=peer_row["id"])
        return repr(Tl("ResolvedPeer", peer=peer, chats=[], users=[library.user(peer_row)]))
    peer = Tl("PeerChannel", channel_id=peers.bare_id(peer_row["id"]))
    return repr(Tl("ResolvedPeer", peer=peer, chats=[library.channel(client, peer_row)], users=[]))
