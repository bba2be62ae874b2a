"""The `remove_chat_from_folder` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import folders
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Remove a chat from a folder, which must not become empty."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    folder_id = arguments["folder_id"]
    client = server.client()
    folder = folders.existing(client, folder_id)
    marked = folders.resolve_chat(client, chat_id)
    lists = {name: folders.chat_ids(folder, name) for name in ("include", "pinned")}
    changed = {
        f"{name}_chat_ids": [other for other in ids if other != marked] for name, ids in lists.items() if marked in ids
    }
    if not changed:
        return f"Chat {chat_id} was not in folder {folder_id}."
    folders.needs_content({**folder, **changed})
    client.own_rows.update("folder", folder_id, changed)
    return f"Chat {chat_id} removed from folder {folder_id}."
