"""Albums, which send_file and send_album send alike."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import attaching, files, resolve
from soundstage.kernels.telegram.rules.aliases import Reference
from soundstage.kernels.telegram.rules.errors import Said
from soundstage.kernels.telegram.rules.server import Server

_TOOL = "send_file"
"""Whose name the refusals of files bear."""


def send(server: Server, chat_id: Reference, given: list[str], caption: str | None, topic_id: int | None) -> str:
    """Send two to ten files as an album, and answer that it is done.

    Raises:
        Said: for too few or too many files, or one that may not be read.
        AskUser, Failed: where nobody is meant, or nothing may be sent.
    """
    if not 2 <= len(given) <= 10:
        raise Said("invalid", "Albums must contain between 2 and 10 files.")
    client = server.client()
    paths = [files.readable(server.context, _TOOL, path) for path in given]
    peer = resolve.entity(client, chat_id)
    attaching.attach(client, peer, paths, caption=caption, topic_id=topic_id)
    return f"Album sent to chat {chat_id} with {len(paths)} files."
