"""The `delete_contact` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT
from soundstage.kernels.telegram.rules import peers, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Remove a user from the contacts; it also succeeds for users who are not contacts."""
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    user = peers.as_user(resolve.entity(client, user_id))
    if user.get("contact"):
        peers.relate(client, user["id"], {"contact": ABSENT, "mutual_contact": ABSENT})
    return f"Contact with user ID {user_id} deleted."
