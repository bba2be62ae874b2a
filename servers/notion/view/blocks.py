"""Blocks as a page shows them, each with its text in pieces and its children."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import children, rich_text
from soundstage.kernels.notion.rules.children import Node
from soundstage.servers.notion.view.values import value_text

MOST_BLOCKS = 600
_DEEPEST = 12


@dataclass(slots=True)
class Shown:
    """A block: `pieces` are (classes, text) of its rich text, `extra` are type-specific values."""

    id: str
    type: str
    pieces: list[tuple[str, str]]
    extra: dict[str, Any] = field(default_factory=dict)
    below: list[Shown] = field(default_factory=list)


class Reader:
    """Reads up to `MOST_BLOCKS` blocks of a page; `read` holds their ids."""

    def __init__(self, context: AppContext) -> None:
        """Start without any block read."""
        self._context = context
        self._left = MOST_BLOCKS
        self.left_out = False
        self.read: set[str] = set()

    def below(self, above: Node, depth: int = 0) -> list[Shown]:
        """Return the blocks below a node."""
        if depth > _DEEPEST:
            self.left_out = True
            return []
        blocks_below: list[Shown] = []
        for node in children.live(self._context, above):
            if self._left <= 0:
                self.left_out = True
                break
            self._left -= 1
            self.read.add(node.id)
            blocks_below.append(self._shown(node, depth))
        return blocks_below

    def properties(self, page: Object) -> list[tuple[str, str]]:
        """Return a row's properties except its title."""
        values = page.get("properties") if isinstance(page.get("properties"), dict) else {}
        others = [(n, v) for n, v in (values or {}).items() if isinstance(v, dict) and v.get("type") != "title"]
        return [(name, value_text(self._context, value)) for name, value in others]

    def person(self, reference: object) -> str:
        """Return the name of a person."""
        return value_text(self._context, {"type": "created_by", "created_by": reference}) or "somebody"

    def _shown(self, node: Node, depth: int) -> Shown:
        record = node.record
        if node.kind != "block":
            title = rich_text.title(record) if node.kind == "page" else rich_text.plain(record.get("title"))
            return Shown(node.id, node.type, [("", title or "Untitled")])
        content = record.get(node.type)
        content = content if isinstance(content, dict) else {}
        shown = Shown(node.id, node.type, pieces(content.get("rich_text")), _extra(node.type, content))
        if node.type == "table_row":
            shown.extra["cells"] = [pieces(cell) for cell in content.get("cells") or []]
        if node.type in ("child_page", "child_database"):
            shown.pieces = [("", str(content.get("title") or "Untitled"))]
        shown.below = self.below(node, depth + 1)
        return shown


def pieces(items: object) -> list[tuple[str, str]]:
    """Return rich text as (classes, text) pairs."""
    result: list[tuple[str, str]] = []
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, dict):
            continue
        marks = item.get("annotations") if isinstance(item.get("annotations"), dict) else {}
        names = [n for n in ("bold", "italic", "strikethrough", "underline", "code") if (marks or {}).get(n)]
        if item.get("href"):
            names.append("link")
        if item.get("type") in ("mention", "equation"):
            names.append(str(item["type"]))
        result.append((" ".join(names), rich_text.plain([item])[:20_000]))
    return result


def _extra(kind: str, content: Object) -> dict[str, Any]:
    match kind:
        case "to_do":
            return {"checked": bool(content.get("checked"))}
        case "code":
            return {"language": str(content.get("language") or "")}
        case "callout":
            icon = content.get("icon")
            return {"icon": str(icon.get("emoji") or "💡") if isinstance(icon, dict) else "💡"}
        case "equation":
            return {"text": str(content.get("expression") or "")}
        case "table":
            return {"header": bool(content.get("has_column_header"))}
        case "image" | "video" | "file" | "pdf" | "audio" | "bookmark" | "embed" | "link_preview":
            inner = content.get(str(content.get("type"))) if isinstance(content.get("type"), str) else None
            url = content.get("url") or (inner.get("url") if isinstance(inner, dict) else None)
            caption = rich_text.plain(content.get("caption")) if content.get("caption") else ""
            return {"text": str(content.get("name") or caption or url or "")}
        case _:
            return {}
