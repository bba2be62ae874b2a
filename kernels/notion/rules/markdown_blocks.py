"""Markdown that the MCP server writes for blocks, alone and as the tree of a page."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.markdown_text import (
    cell,
    file_url,
    json_block,
    link_label,
    plain,
    record,
    rich_text,
    sections,
    without_tags,
)

_HEADINGS = {"heading_1": "#", "heading_2": "##", "heading_3": "###"}
_INDENTED = ("bulleted_list_item", "numbered_list_item", "to_do", "quote")
_NAMED_ONLY = {
    "table_of_contents": "[Table of contents block]",
    "breadcrumb": "[Breadcrumb block]",
    "column_list": "[Column list block]",
    "column": "[Column block]",
    "divider": "---",
}
_MEDIA = {"image": "Image", "video": "Video", "audio": "Audio", "pdf": "PDF", "file": "File"}


def with_id(block: Object) -> str:
    """Return a block below a comment with its id."""
    body = of_block(block)
    comment = _id_comment(block)
    return f"{comment}\n{body}" if body else comment


def of_tree(nodes: list[Object], depth: int = 0) -> str:
    """Return the nodes of a page (see `page_reader`), each below its id, with children indented."""
    return "\n\n".join(_node(node, depth) for node in nodes)


def _node(node: Object, depth: int) -> str:
    body = node["markdown"]
    if depth and node["type"] in _INDENTED:
        body = "\n".join("  " * depth + line if line else line for line in body.split("\n"))
    omitted = node.get("children_omitted")
    note = f"> Children omitted because {omitted} was reached." if omitted else ""
    return sections(_id_comment(node), body, note, of_tree(node.get("children", []), depth + 1))


def _id_comment(block: Object) -> str:
    return f'<!-- notion:block id="{block["id"]}" type="{block["type"]}" -->'


def of_block(block: Object) -> str:
    """Return a block's own content."""
    kind = block["type"]
    content = record(block.get(kind))
    text = rich_text(content.get("rich_text"))
    match kind:
        case "paragraph":
            return text
        case "heading_1" | "heading_2" | "heading_3":
            line = f"{_HEADINGS[kind]} {text}"
            return f"<details><summary>{line}</summary>" if content.get("is_toggleable") else line
        case "bulleted_list_item":
            return f"- {text}"
        case "numbered_list_item":
            return f"1. {text}"
        case "to_do":
            return f"- [{'x' if content.get('checked') else ' '}] {text}"
        case "toggle":
            return f"<details>\n<summary>{text or 'Toggle'}</summary>\n\n</details>"
        case "quote":
            return _quoted(text)
        case "callout":
            return _quoted(" ".join(part for part in (_icon(content.get("icon")), text) if part))
        case "code":
            return _code(content)
        case "equation":
            return f"$$\n{_string(content.get('expression'))}\n$$"
        case "meeting_notes":
            return sections("### Meeting Notes", text)
        case "image" | "video" | "audio" | "pdf" | "file":
            return _media(kind, content)
        case "bookmark" | "embed":
            url = _string(content.get("url"))
            return _link(plain(content.get("caption")) or url or kind.capitalize(), url)
        case "link_preview":
            url = _string(content.get("url"))
            return _link(url or "Link preview", url)
        case "child_page" | "child_database":
            label = kind.replace("_", " ").capitalize()
            return f"{label}: **{_string(content.get('title')) or 'Untitled'}** (id: `{block['id']}`)"
        case "link_to_page":
            return _link_to_page(content)
        case "table":
            return _table(content)
        case "table_row":
            return _table_row(content.get("cells"))
        case "synced_block":
            source = _string(record(content.get("synced_from")).get("block_id"))
            return f"Synced block from `{source}`" if source else "Original synced block"
        case "template":
            return f"Template: {text}"
        case "unsupported":
            return f"> Unsupported Notion block. Raw block ID: `{block['id']}`"
        case _ if kind in _NAMED_ONLY:
            return _NAMED_ONLY[kind]
        case _:
            return text or sections(f"> Unsupported Notion block type: `{kind}`", json_block(block))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n")) if text else ">"


def _icon(value: Any) -> str:
    icon = record(value)
    if icon.get("type") in ("external", "file"):
        return _string(record(icon.get(icon["type"])).get("url"))
    return _string(icon.get("emoji")) if icon.get("type") == "emoji" else ""


def _code(content: Object) -> str:
    code = plain(content.get("rich_text"))
    fence = "````" if "```" in code else "```"
    block = f"{fence}{_string(content.get('language'))}\n{code}\n{fence}"
    caption = rich_text(content.get("caption"))
    return f"{block}\n\nCaption: {caption}" if caption else block


def _media(kind: str, content: Object) -> str:
    label = _string(content.get("name")) or "File" if kind == "file" else _MEDIA[kind]
    text, url = rich_text(content.get("caption")) or label, file_url(content)
    if kind == "image" and url:
        return f"![{link_label(without_tags(text))}]({url})"
    return _link(text, url)


def _link(label: str, url: str | None) -> str:
    return f"[{link_label(label)}]({url})" if url else label


def _link_to_page(content: Object) -> str:
    for name, label in (("page_id", "page"), ("data_source_id", "data source"), ("database_id", "database")):
        if identifier := _string(content.get(name)):
            return f"Link to {label}: `{identifier}`"
    return "Link to page"


def _table(content: Object) -> str:
    lines = [f"Table block: {content.get('table_width') or 'unknown'} columns"]
    lines += ["- Has column header"] if content.get("has_column_header") else []
    lines += ["- Has row header"] if content.get("has_row_header") else []
    return "\n".join(lines)


def _table_row(cells: Any) -> str:
    if not isinstance(cells, list):
        return "| |"
    return f"| {' | '.join(cell(rich_text(one)) for one in cells if isinstance(one, list))} |"


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
