"""get_user_status: when somebody was last seen, as the library prints it."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import library, peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    user_id = server.checked("user_id", arguments["user_id"])
    client = server.client()
    found = resolve.entity(client, user_id)
    if not peers.is_user(found):
        raise Failed("AttributeError", f"'{peers.class_of(found)}' object has no attribute 'status'")
    return str(library.status(found))
