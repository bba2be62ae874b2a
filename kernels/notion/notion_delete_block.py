"""The `notion_delete_block` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import blocks
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Move a block, page or database to the trash.

    A page at the top of the workspace cannot be moved there.
    """
    if not arguments["block_id"]:
        raise server_error("Missing required argument: block_id")
    return of_object(context, arguments, blocks.delete(context, arguments["block_id"]))
