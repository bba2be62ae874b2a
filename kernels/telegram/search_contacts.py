"""The `search_contacts` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import aliases, peers, searching
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments

_MOST = 50


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return matching saved aliases, then people whose name or username matches."""
    query = arguments["query"]
    client = server.client()
    key = aliases.key_of(query)
    favorites = [
        {
            "alias": alias,
            "id": record["id"],
            "name": record["name"],
            "favorite": True,
            "match": "exact" if alias == key else "similar",
        }
        for alias, record in aliases.matches(client.own_rows, query)
    ]
    _, users = searching.search(client, query, _MOST)
    if not users and not favorites:
        return f"No contacts found matching '{query}'."
    return results_json([*favorites, *map(peers.as_contact, users)])
