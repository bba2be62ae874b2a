"""The `notion_read_page` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, ids, page_reader, pages
from soundstage.kernels.notion.rules.children import Node
from soundstage.kernels.notion.rules.compaction import page_title
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.markdown_blocks import of_tree
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return a page's content as an outline of blocks, on request as Markdown."""
    if not arguments["page_id"]:
        raise server_error("Missing required argument: page_id")
    access.check(context, "read_content")
    record = pages.find(context, ids.path_id(arguments["page_id"], "page_id"))
    ids.path_id(
        arguments["page_id"], "block_id", last=False
    )  # the request for the children contains the id in the same form
    page = pages.to_reply(context, record)
    nodes, reading = page_reader.read(
        context, Node("page", record), arguments.get("max_depth"), arguments.get("max_blocks")
    )
    shown: Object = {"id": page["id"], "title": page_title(page) or "Untitled page"}
    shown |= {name: page[name] for name in ("url", "parent", "last_edited_time", "in_trash") if name in page}
    if arguments.get("include_properties"):
        shown["properties"] = page_reader.properties(page)
    content: Object = {
        "format": arguments.get("content_format", "outline"),
        "max_depth": reading.depth,
        "block_count": reading.count,
        "truncated": reading.truncated,
        "outline": nodes,
    }
    if content["format"] == "markdown":
        content["markdown"] = of_tree(nodes)
    hint = {
        "append_tool": "notion_append_content",
        "parent_block_id": page["id"],
        "note": "Use block IDs from content.outline when inserting after a specific block.",
    }
    return {"object": "notion_page_read", "page": shown, "content": content, "editing_hint": hint}
