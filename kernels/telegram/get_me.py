"""The `get_me` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules.peers import format_entity
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import indented_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the account's own user."""
    return indented_json(format_entity(server.client().me))
