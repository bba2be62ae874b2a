"""The `reorder_folders` tool."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import folders
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Set the order of all chat folders."""
    order = arguments["folder_ids"]
    client = server.client()
    existing = {folder["id"] for folder in folders.list_folders(client)}
    for folder_id in order:
        if folder_id not in existing:
            text = f"Folder ID {folder_id} not found. Use list_folders to see available folders."
            raise Refusal("not_found", text)
    if missing := existing - set(order):
        raise Refusal("invalid", f"All folder IDs must be included. Missing: {missing}")
    for position, folder_id in enumerate(dict.fromkeys(order)):
        client.own_rows.update("folder", folder_id, {"position": position})
    return f"Folders reordered: {order}"
