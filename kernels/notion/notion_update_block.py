"""The `notion_update_block` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import blocks
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Change a block's content in the API's format, or move it to or from the trash."""
    if not arguments["block_id"]:
        raise server_error("Missing required arguments: block_id and block")
    return of_object(context, arguments, blocks.update(context, arguments["block_id"], arguments["block"]))
