"""The MCP server's simple content items: validation, parsing from Markdown, and conversion to blocks.

An item is {type, text?, checked?, language?, is_toggleable?}. Source: `src/tools/content/simple-content.ts` in
https://github.com/suekou/mcp-notion-server.
"""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import rich_text
from soundstage.kernels.notion.rules.errors import server_error

# JavaScript's white space and its `.`, which differ from Python's.
_SPACES = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
_SPACE = f"[{_SPACES}]"
_ANY = r"[^\n\r\u2028\u2029]"
_FENCE = re.compile(rf"```([A-Za-z0-9_#+.-]*){_SPACE}*")
_RULE = re.compile(r"-{3,}|\*{3,}|_{3,}")
_HEADING = re.compile(rf"(#{{1,3}}){_SPACE}+({_ANY}+)")
_TODO = re.compile(rf"[-*]{_SPACE}+\[([ xX])\]{_SPACE}+({_ANY}+)")
_BULLET = re.compile(rf"[-*]{_SPACE}+({_ANY}+)")
_NUMBER = re.compile(rf"[0-9]+[.)]{_SPACE}+({_ANY}+)")
_QUOTE = re.compile(rf">{_SPACE}?({_ANY}+)")


def check_position(position: Object | None) -> None:
    """Reject `after_block` without a block; the tool's schema covers the rest.

    Raises:
        NotionError: In the server's words.
    """
    if position is not None and position["type"] == "after_block" and "after_block" not in position:
        raise server_error("position.after_block.id must be a block ID string when position.type is 'after_block'.")


def check_items(items: list[Object]) -> None:
    """Reject an empty list, and items that are invalid for their type.

    Raises:
        NotionError: In the server's words.
    """
    if not items:
        raise server_error("items must be a non-empty array of simple content items.")
    for i, item in enumerate(items):
        check_item(item, f"items[{i}]")


def check_item(item: Object, path: str) -> None:
    """Reject text in a divider, and missing text elsewhere; the tool's schema covers the rest.

    Raises:
        NotionError: In the server's words.
    """
    if item["type"] == "divider":
        if "text" in item:
            raise server_error(f"{path}.text is not supported for divider content.")
    elif "text" not in item:
        raise server_error(f"{path}.text must be a string for {item['type']} content.")


def block(item: Object) -> Object:
    """Return the block of a request for an item."""
    kind = item["type"]
    return {"object": "block", "type": kind, kind: content(item)}


def content(item: Object) -> Object:
    """Return the block content for an item."""
    if item["type"] == "divider":
        return {}
    made: Object = {"rich_text": rich_text.of_text(item["text"])}
    match item["type"]:
        case "heading_1" | "heading_2" | "heading_3":
            made["is_toggleable"] = item.get("is_toggleable", False)
        case "to_do":
            made["checked"] = item.get("checked", False)
        case "code":
            made["language"] = item.get("language") or "plain text"
    return made


def from_markdown(markdown: str) -> list[Object]:
    """Return the items of a Markdown text.

    Supported are headings 1 to 3, to-dos, bullets, numbers, quotes, fenced code and rules. All other text becomes
    paragraphs, whose lines are joined by a space. Inline markup is not parsed.
    """
    items: list[Object] = []
    paragraph: list[str] = []
    code: list[str] | None = None
    language = ""

    def end_paragraph() -> None:
        """Add the collected lines as a paragraph."""
        if paragraph:
            items.append({"type": "paragraph", "text": " ".join(paragraph)})
            paragraph.clear()

    for line in markdown.replace("\r\n", "\n").split("\n"):
        fence = _FENCE.fullmatch(line)
        if fence and code is not None:
            items.append(_code(code, language))
            code = None
        elif fence:
            end_paragraph()
            code, language = [], fence.group(1)
        elif code is not None:
            code.append(line)
        elif not (trimmed := line.strip(_SPACES)):
            end_paragraph()
        elif item := _line(trimmed):
            end_paragraph()
            items.append(item)
        else:
            paragraph.append(trimmed)
    if code is not None:
        items.append(_code(code, language))
    end_paragraph()
    return items


def _code(lines: list[str], language: str) -> Object:
    return {"type": "code", "text": "\n".join(lines), "language": language}


def _line(line: str) -> Object | None:
    if _RULE.fullmatch(line):
        return {"type": "divider"}
    if match := _HEADING.fullmatch(line):
        return {"type": f"heading_{len(match.group(1))}", "text": match.group(2)}
    if match := _TODO.fullmatch(line):
        return {"type": "to_do", "text": match.group(2), "checked": match.group(1) != " "}
    for kind, pattern in (("bulleted_list_item", _BULLET), ("numbered_list_item", _NUMBER), ("quote", _QUOTE)):
        if match := pattern.fullmatch(line):
            return {"type": kind, "text": match.group(1)}
    return None


def same_type(block_id: str, existing: Object, item: Object) -> None:
    """Reject an item for a block of another type.

    Raises:
        NotionError: In the server's words.
    """
    if existing["type"] != item["type"]:
        raise server_error(
            f"Block type mismatch: block {block_id} is {existing['type']}, but item.type was {item['type']}"
        )


def update_of(item: Object) -> Object:
    """Return the body of a block update for an item."""
    body: dict[str, Any] = {item["type"]: content(item)}
    return body
