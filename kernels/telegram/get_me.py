"""The `get_me` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules.peers import formatted
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import indented
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the account's own user."""
    return indented(formatted(server.client().me))
