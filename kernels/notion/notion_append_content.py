"""The `notion_append_content` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import block_lists, blocks, simple_content
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Add simple content items to a page or block."""
    if not arguments["block_id"]:
        raise server_error("Missing required arguments: block_id and items")
    position = arguments.get("position")
    simple_content.check_position(position)
    simple_content.check_items(arguments["items"])
    new = [simple_content.block(item) for item in arguments["items"]]
    made = blocks.append(context, arguments["block_id"], new, position)
    return answer(context, arguments, block_lists.whole(context, made))
