"""The MCP server's traversal of a page for `notion_read_page`: depth first, limited in depth and number of blocks.

Source: `src/tools/pages/reader.ts` in https://github.com/suekou/mcp-notion-server.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import children
from soundstage.kernels.notion.rules.children import Node
from soundstage.kernels.notion.rules.markdown_blocks import of_block
from soundstage.kernels.notion.rules.markdown_text import plain, record, rich_text

_DEFAULT_DEPTH = 2
_DEFAULT_BLOCKS = 100
_TEXTS_FROM_CAPTION = ("image", "file", "pdf", "video")
_TEXTS_FROM_URL = ("bookmark", "embed", "link_preview")
_TEXTS_FROM_TITLE = ("child_page", "child_database")


@dataclass(slots=True)
class Reading:
    """Limits and progress of a traversal."""

    depth: int | float
    blocks: int | float
    count: int = 0
    truncated: bool = False


def _positive(value: Any, otherwise: int) -> int | float:
    """Return a whole number above 0, or the default, because the server ignores all other numbers."""
    return value if isinstance(value, int | float) and value > 0 and value == int(value) else otherwise


def read(context: AppContext, above: Node, max_depth: Any, max_blocks: Any) -> tuple[list[Object], Reading]:
    """Return a page's blocks as nodes of the outline."""
    reading = Reading(_positive(max_depth, _DEFAULT_DEPTH), _positive(max_blocks, _DEFAULT_BLOCKS))
    return _children(context, above, 1, reading), reading


def _children(context: AppContext, above: Node, depth: int, reading: Reading) -> list[Object]:
    nodes: list[Object] = []
    for child in children.live(context, above):
        if reading.count >= reading.blocks:
            reading.truncated = True
            return nodes
        node = _node(children.to_reply(context, child))
        reading.count += 1
        if node["has_children"]:
            if depth < reading.depth and reading.count < reading.blocks:
                node["children"] = _children(context, child, depth + 1, reading)
            else:
                node["children_omitted"] = "max_depth" if depth >= reading.depth else "max_blocks"
                reading.truncated = True
        nodes.append(node)
    return nodes


def _node(block: Object) -> Object:
    return {
        "id": block["id"],
        "type": block["type"],
        "text": _text(block),
        "markdown": of_block(block),
        "has_children": bool(block["has_children"]),
        "in_trash": block["in_trash"],
    }


def _text(block: Object) -> str:
    content = record(block.get(block["type"]))
    if block["type"] in _TEXTS_FROM_TITLE:
        return str(content.get("title") or "")
    if block["type"] in _TEXTS_FROM_URL:
        return str(content.get("url") or "")
    if block["type"] in _TEXTS_FROM_CAPTION:
        return plain(content.get("caption")) or str(content.get("name") or "")
    return plain(content.get("rich_text"))


def properties(page: Object) -> list[Object]:
    """Return a page's properties in the short form of `include_properties`."""
    return [
        {"name": name, "id": value.get("id"), "type": value["type"], "value": _value(value)}
        for name, value in page["properties"].items()
    ]


def _value(value: Object) -> Any:
    content = value.get(value["type"])
    match value["type"]:
        case "title" | "rich_text":
            return rich_text(content)
        case "number" | "checkbox":
            return content
        case "select" | "status":
            return record(content).get("name") or None
        case "multi_select":
            return [option["name"] for option in content or []]
        case "date":
            date = record(content)
            return f"{date.get('start')}..{date['end']}" if date.get("end") else date.get("start") or None
        case "url" | "email" | "phone_number":
            return content or None
        case _:
            return None
