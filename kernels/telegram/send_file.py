"""The `send_file` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import albums, attaching, files, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Send a file, or several as an album."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    given, caption, topic_id = arguments["file_path"], arguments["caption"], arguments["topic_id"]
    if isinstance(given, list):
        return albums.send(server, chat_id, given, caption, topic_id)
    client = server.client()
    path = files.readable(server.context, "send_file", given)
    peer = resolve.entity(client, chat_id)
    attaching.attach(client, peer, [path], caption=caption, topic_id=topic_id)
    return f"File sent to chat {chat_id} from {path}."
