"""The main content of a page as blocks of text, without navigation and decoration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from soundstage.kernels.engines.web.dom import Node, body, folded, parsed, text_of

_AROUND = frozenset(
    {"nav", "header", "footer", "aside", "script", "style", "noscript", "template", "form", "svg", "h1"}
)
_LEAVES = {"p": "p", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading", "pre": "pre"}
_LEAVES |= dict.fromkeys(("dt", "dd", "figcaption", "caption", "summary", "address"), "p")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of text.

    `kind` is p, heading, item, row or pre; `level` is the heading's level or the item's depth.
    """

    kind: str
    text: str
    level: int = 0


def blocks(html: str) -> list[Block]:
    """Return the paragraphs, headings below the first level, list items and table rows of a page's main content."""
    return list(_below(body(parsed(html)), 0))


def plain(results: list[Block]) -> str:
    """Return blocks as one line of text."""
    return " ".join(block.text for block in results)


def lined(results: list[Block]) -> str:
    """Return blocks with Markdown markers.

    Consecutive paragraphs share a line; items, rows and headings have separate lines.
    """
    text = ""
    before = None
    for block in results:
        alone = block.kind == before and block.kind in ("item", "row")
        between = " " if block.kind == before == "p" else "\n" if alone else "\n\n"
        text += (between if text else "") + _marked(block)
        before = block.kind
    return text


def _marked(block: Block) -> str:
    match block.kind:
        case "heading":
            return f"{'#' * block.level} {block.text}"
        case "item":
            return f"{'  ' * block.level}- {block.text}"
        case "row":
            return f"| {block.text} |"
        case "pre":
            return f"```\n{block.text}\n```"
    return block.text


def _below(node: Node, depth: int) -> Iterator[Block]:
    for child in node:
        tag = child.tag
        if not isinstance(tag, str) or tag in _AROUND:
            continue
        if (kind := _LEAVES.get(tag)) is not None:
            text = text_of(child).strip("\n") if kind == "pre" else folded(text_of(child))
            if text:
                yield Block(kind, text, int(tag[1]) if kind == "heading" else 0)
        elif tag == "li":
            if text := folded(_own_text(child)):
                yield Block("item", text, depth)
            yield from _lists(child, depth + 1)
        elif tag == "tr":
            cells = [folded(text_of(cell)) for cell in child if cell.tag in ("td", "th")]
            if any(cells):
                yield Block("row", " | ".join(cells))
        else:
            yield from _below(child, depth)


def _own_text(item: Node) -> str:
    """Return the text of a list item without its nested lists."""
    parts = [item.text or ""]
    for child in item:
        if isinstance(child.tag, str) and child.tag not in ("ul", "ol"):
            parts.append(f" {_own_text(child)} " if child.tag in ("p", "div") else _own_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _lists(item: Node, depth: int) -> Iterator[Block]:
    for child in item:
        if child.tag in ("ul", "ol"):
            yield from _below(child, depth)
