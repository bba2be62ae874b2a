"""reorder_folders: bring all chat folders into an order."""

from __future__ import annotations

from soundstage.kernels.telegram.rules import folders
from soundstage.kernels.telegram.rules.errors import Said
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    order = arguments["folder_ids"]
    client = server.client()
    existing = {folder["id"] for folder in folders.listed(client)}
    for folder_id in order:
        if folder_id not in existing:
            text = f"Folder ID {folder_id} not found. Use list_folders to see available folders."
            raise Said("not_found", text)
    if missing := existing - set(order):
        raise Said("invalid", f"All folder IDs must be included. Missing: {missing}")
    for position, folder_id in enumerate(dict.fromkeys(order)):
        client.mine.update("folder", folder_id, {"position": position})
    return f"Folders reordered: {order}"
