"""resolve_username: who has a username, as the library prints it."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import library, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.reprs import Tl
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    client = server.client()
    found = resolve.by_username(client, arguments["username"]) if arguments["username"] else None
    if found is None:
        raise Failed("USERNAME_NOT_OCCUPIED")
    if peers.is_user(found):
        peer = Tl("PeerUser", user_id=found["id"])
        return repr(Tl("ResolvedPeer", peer=peer, chats=[], users=[library.user(found)]))
    peer = Tl("PeerChannel", channel_id=peers.bare_id(found["id"]))
    return repr(Tl("ResolvedPeer", peer=peer, chats=[library.channel(client, found)], users=[]))
