"""The `send_album` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import albums
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Send two to ten files as an album."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    return albums.send(server, chat_id, arguments["file_paths"], arguments["caption"], arguments["topic_id"])
