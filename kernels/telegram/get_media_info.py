"""The `get_media_info` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import history, resolve, tl_media
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, reading
from soundstage.kernels.types import Arguments


@reading
def run(server: Server, arguments: Arguments) -> str:
    """Return a message's media as the client library prints it."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    message = history.find(client, peer["id"], arguments["message_id"])
    media = None if message is None else tl_media.media_of(client, message)
    if media is None:
        raise Refusal("not_found", "No media found in the specified message.")
    return repr(media)
