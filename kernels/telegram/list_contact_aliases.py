"""The `list_contact_aliases` tool."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.telegram.rules import aliases
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the saved nicknames, grouped by person."""
    saved = aliases.load_aliases(server.own_rows)
    if not saved:
        return "No aliases saved."
    people: dict[int, dict[str, Any]] = {}
    for key, record in sorted(saved.items()):
        person = people.setdefault(record["id"], {"id": record["id"], "name": record["name"], "aliases": []})
        person["aliases"].append(key)
    return results_json(list(people.values()))
