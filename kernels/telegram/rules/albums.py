"""Albums, which send_file and send_album share."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import attaching, files, resolve
from soundstage.kernels.telegram.rules.aliases import Reference
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server

_TOOL = "send_file"
"""The tool named in errors about files."""


def send(server: Server, chat_id: Reference, given: list[str], caption: str | None, topic_id: int | None) -> str:
    """Send two to ten files as an album.

    Raises:
        Refusal: There are too few or too many files, or one may not be read.
        AskUser, Failed: The chat is unknown, or the account may not send to it.
    """
    if not 2 <= len(given) <= 10:
        raise Refusal("invalid", "Albums must contain between 2 and 10 files.")
    client = server.client()
    paths = [files.readable(server.context, _TOOL, path) for path in given]
    peer = resolve.entity(client, chat_id)
    attaching.attach(client, peer, paths, caption=caption, topic_id=topic_id)
    return f"Album sent to chat {chat_id} with {len(paths)} files."
