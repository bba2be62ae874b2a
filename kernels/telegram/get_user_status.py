"""The `get_user_status` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import library, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return when a user was last seen, in the library's notation."""
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    person = resolve.entity(client, user_id)
    if not peers.is_user(person):
        raise Failed("AttributeError", f"'{peers.class_of(person)}' object has no attribute 'status'")
    return str(library.status(person))
