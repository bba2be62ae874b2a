"""The `obsidian_patch_content` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules import client
from soundstage.kernels.obsidian.rules.patch import Patch
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Change a section, block or front matter field of a note (`PATCH /vault/{filepath}`)."""
    change = Patch(arguments["operation"], arguments["target_type"], arguments["target"], arguments["content"])
    client.patch(context, arguments["filepath"], change)
    return f"Successfully patched content in {arguments['filepath']}"
