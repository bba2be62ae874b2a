"""The `export_contacts` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import peers
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import indented_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return all contacts as an indented JSON list."""
    return indented_json([peers.format_entity(contact) for contact in peers.contacts(server.client())])
