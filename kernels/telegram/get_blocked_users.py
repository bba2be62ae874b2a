"""The `get_blocked_users` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import peers
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import indented_json
from soundstage.kernels.types import Arguments

_FETCHED = 100


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return the first hundred users that the account has blocked."""
    blocked = [user for user in peers.users(server.client()) if user.get("blocked")]
    return indented_json([peers.format_entity(user) for user in blocked[:_FETCHED]])
