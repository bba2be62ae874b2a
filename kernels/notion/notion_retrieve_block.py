"""The `notion_retrieve_block` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import blocks
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Return a block; a page or database can also be requested as a block."""
    if not arguments["block_id"]:
        raise server_error("Missing required argument: block_id")
    return of_object(context, arguments, blocks.retrieve(context, arguments["block_id"]))
