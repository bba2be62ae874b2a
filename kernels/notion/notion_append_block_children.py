"""The `notion_append_block_children` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import block_lists, blocks, simple_content
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Add blocks in the API's format to a page or block."""
    if not arguments["block_id"]:
        raise server_error("Missing required arguments: block_id and children")
    position = arguments.get("position")
    simple_content.check_position(position)
    made = blocks.append(context, arguments["block_id"], arguments["children"], position)
    return answer(context, arguments, block_lists.whole(context, made))
