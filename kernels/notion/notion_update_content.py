"""The `notion_update_content` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import blocks, simple_content
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Replace a block's text by a simple content item of the same type.

    A to-do item without `checked` is unchecked.
    """
    block_id, item = arguments["block_id"], arguments["item"]
    if not block_id:
        raise server_error("Missing required arguments: block_id and item")
    simple_content.check_item(item, "item")
    simple_content.same_type(block_id, blocks.retrieve(context, block_id), item)
    return of_object(context, arguments, blocks.update(context, block_id, simple_content.update_of(item)))
