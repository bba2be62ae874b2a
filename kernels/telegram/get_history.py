"""The `get_history` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import history, messages, resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a chat's newest messages with all their details."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    newest = history.walk(history.newest(client, peer["id"]), arguments["limit"])
    return results_json([messages.in_full(client, message) for message in newest])
