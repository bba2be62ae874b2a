"""search_contacts: people by name or username, after the saved aliases that fit."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import aliases, peers, searching
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results
from soundstage.kernels.types import Arguments

_MOST = 50


@reading
def run(server: Server, arguments: Arguments) -> str:
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
        for alias, record in aliases.matches(client.mine, query)
    ]
    _, users = searching.found(client, query, _MOST)
    if not users and not favorites:
        return f"No contacts found matching '{query}'."
    return results([*favorites, *map(peers.as_contact, users)])
