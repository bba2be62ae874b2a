"""The `obsidian_delete_file` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules import client
from soundstage.kernels.obsidian.rules.errors import ObsidianError
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Delete a file (`DELETE /vault/{filepath}`) if the deletion is confirmed."""
    if not arguments["confirm"]:
        raise ObsidianError("invalid", "confirm must be set to true to delete a file")
    client.write(context, "DELETE", arguments["filepath"])
    return f"Successfully deleted {arguments['filepath']}"
