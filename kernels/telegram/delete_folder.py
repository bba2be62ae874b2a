"""The `delete_folder` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import folders
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import clean_name
from soundstage.kernels.types import Arguments

_FIRST_ID = 2


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Delete a chat folder; its chats remain."""
    folder_id = arguments["folder_id"]
    client = server.client()
    if folder_id < _FIRST_ID:
        text = f"Cannot delete system folder (ID {folder_id}). Only custom folders can be deleted."
        raise Refusal("invalid", text)
    folder = folders.of_id(client, folder_id)
    if folder is None:
        raise Refusal("not_found", f"Folder with ID {folder_id} not found (may already be deleted).")
    client.own_rows.delete("folder", folder_id)
    return f"Folder '{clean_name(folder.get('title'))}' (ID {folder_id}) deleted. Chats are preserved."
