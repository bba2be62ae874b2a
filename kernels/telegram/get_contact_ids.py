"""The `get_contact_ids` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import peers
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the ids of all contacts."""
    ids = [str(user["id"]) for user in peers.contacts(server.client())]
    return f"Contact IDs: {', '.join(ids)}" if ids else "No contact IDs found."
