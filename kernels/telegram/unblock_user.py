"""The `unblock_user` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import peers, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Lift the block on a user."""
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    peers.set_blocked(client, resolve.entity(client, user_id), blocked=False)
    return f"User {user_id} unblocked."
