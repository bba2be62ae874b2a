"""The `obsidian_append_content` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules import client
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Append text to a file (`POST /vault/{filepath}`)."""
    client.write(context, "POST", arguments["filepath"], arguments["content"])
    return f"Successfully appended content to {arguments['filepath']}"
