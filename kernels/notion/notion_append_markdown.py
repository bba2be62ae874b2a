"""The `notion_append_markdown` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import block_lists, blocks, simple_content
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Add a Markdown text to a page or block; inline markup (bold, links) stays as typed."""
    if not arguments["block_id"] or not arguments["markdown"]:
        raise server_error("Missing required arguments: block_id and markdown")
    position = arguments.get("position")
    simple_content.check_position(position)
    items = simple_content.from_markdown(arguments["markdown"])
    if not items:
        raise server_error("Markdown did not contain appendable content")
    new = [simple_content.block(item) for item in items]
    made = blocks.append(context, arguments["block_id"], new, position)
    return answer(context, arguments, block_lists.whole(context, made))
