"""The `send_voice` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import attaching, files, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Send a recording as a voice message."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    path = files.readable(server.context, "send_voice", arguments["file_path"])
    peer = resolve.entity(client, chat_id)
    attaching.attach(client, peer, [path], topic_id=arguments["topic_id"], is_voice=True)
    return f"Voice message sent to chat {chat_id} from {path}."
