"""The `add_chat_to_folder` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import folders, resolve
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Put a chat into a folder, or pin it there."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    folder_id, pinned = arguments["folder_id"], arguments["pinned"]
    client = server.client()
    folder = folders.existing(client, folder_id)
    marked = folders.resolve_chat(client, chat_id)
    lists = {name: folders.chat_ids(folder, name) for name in ("include", "pinned")}
    lacking = [name for name in (("include", "pinned") if pinned else ("include",)) if marked not in lists[name]]
    if not lacking:
        return f"Chat {chat_id} is already in folder {folder_id}."
    resolve.known(client, marked)
    client.own_rows.update("folder", folder_id, {f"{name}_chat_ids": [*lists[name], marked] for name in lacking})
    return f"Chat {chat_id} added to folder {folder_id}{' (pinned)' if pinned else ''}."
