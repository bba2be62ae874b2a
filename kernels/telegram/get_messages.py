"""The `get_messages` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import history, messages, resolve
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a page of a chat's messages, one line each."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    offset = (arguments["page"] - 1) * arguments["page_size"]
    page = history.walk(history.newest(client, peer["id"]), arguments["page_size"], offset)
    if not page:
        return "No messages found for this page."
    return "\n".join(messages.as_line(client, message) for message in page)
