"""The `download_media` tool."""

from __future__ import annotations

from posixpath import splitext

from soundstage.kernels.telegram.rules import downloading, files, history, resolve, tl_media
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments

_TOOL = "download_media"


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Save a message's media to a file.

    The requested file extension is replaced by that of the media.
    """
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    peer = resolve.entity(client, chat_id)
    message_id = arguments["message_id"]
    message = history.find(client, peer["id"], message_id)
    if message is None or not tl_media.is_there(client, message):
        raise Refusal("not_found", "No media found in the specified message.")
    name = f"telegram_{chat_id}_{message_id}_{int(server.context.now().timestamp())}"
    wanted = files.writable(server.context, _TOOL, arguments["file_path"], name)
    place = downloading.download(client, message, splitext(wanted)[0])
    if place is None:
        raise Refusal("invalid", f"Download failed for message {message_id}.")
    return f"Media downloaded to {place}."
