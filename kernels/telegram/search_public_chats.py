"""The `search_public_chats` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import peers, searching, wire
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import indented_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Search chats and people by title, name or username."""
    client = server.client()
    wire.fits(arguments["limit"])
    chats, users = searching.search(client, arguments["query"], arguments["limit"])
    return indented_json([peers.format_entity(row) for row in (*chats, *users)])
