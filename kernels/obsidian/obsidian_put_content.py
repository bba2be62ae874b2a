"""The `obsidian_put_content` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules import client
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Write a complete file (`PUT /vault/{filepath}`)."""
    client.write(context, "PUT", arguments["filepath"], arguments["content"])
    return f"Successfully uploaded content to {arguments['filepath']}"
