"""The `notion_retrieve_block_children` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import access, block_lists, blocks, ids, paging
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """List the blocks directly below a page or block, including child pages and databases."""
    if not arguments["block_id"]:
        raise server_error("Missing required argument: block_id")
    access.check(context, "read_content")
    identifier = ids.path_id(arguments["block_id"], "block_id", last=False)
    window = paging.window(arguments, "query")
    above = blocks.find(context, identifier)
    return answer(context, arguments, block_lists.of_children(context, above, window), long_lists=True)
