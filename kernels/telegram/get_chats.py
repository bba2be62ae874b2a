"""The `get_chats` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import dialogs
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.peers import short_name
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.telegram.rules.text import clean_name, results_json
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a page of the list of chats."""
    client = server.client()
    listed = dialogs.list_dialogs(client)
    start = (arguments["page"] - 1) * arguments["page_size"]
    if start >= len(listed):
        raise Refusal("not_found", "Page out of range.")
    # Python's slices: a page before the first counts from the end.
    page = listed[start : start + arguments["page_size"]]
    return results_json([{"chat_id": peer["id"], "title": clean_name(short_name(peer))} for _, peer in page])
