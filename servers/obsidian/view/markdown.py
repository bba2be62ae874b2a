"""A note's Markdown as nodes for a page, without HTML: the template writes the elements and escapes all text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from soundstage.kernels.engines import javascript
from soundstage.servers.obsidian.view.links import LINK, Links

_ELEMENTS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "em",
     "strong", "s", "hr", "br"}
)  # fmt: skip
_PIECE = re.compile(
    LINK.pattern
    + r"|(?<!\S)(?P<tag>#[^\s#!\"$%&'()*+,.:;<=>?@^`{|}~\[\]\\]{1,80})|(?P<mark>(?:^|(?<=\s))\^[a-zA-Z0-9_-]{1,80}$)"
)
_BOX = re.compile(r"\[([ xX])\] ")
_DEEPEST = 40


@dataclass(slots=True)
class Node:
    """An element or a text.

    `kind` is an element's name, `text`, `code`, `pre`, `note`, `missing`, `address`, `tag`, `mark`, `box` or `done`. `target`
    is the target of a link.
    """

    kind: str
    text: str = ""
    target: str = ""
    children: list[Node] = field(default_factory=list)


def rendered(text: str, links: Links) -> list[Node]:
    """Return a note's text as nodes."""
    root = Node("root")
    _add(root, _parser().parse(text), links)
    return root.children


def value_text(value: Any) -> list[str]:
    """Return a property's value as texts, one per item of a list."""
    items = value if isinstance(value, list) else [value]
    return ["" if i is None else i if isinstance(i, str) else javascript.indented(i) for i in items][:60]


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


def _add(root: Node, tokens: list[Token], links: Links) -> None:
    """Append tokens to a tree; content beyond the maximum depth is added at that depth."""
    open_nodes = [root]
    skipped = 0
    for token in tokens:
        at = open_nodes[-1]
        if token.hidden:  # a paragraph of a list without empty lines
            continue
        if token.nesting < 0:
            if skipped:
                skipped -= 1
            else:
                open_nodes.pop()
        elif token.type == "inline":
            _add(at, token.children or [], links)
        elif token.nesting > 0:
            if len(open_nodes) > _DEEPEST:
                skipped += 1
                continue
            node = _element(token)
            at.children.append(node)
            open_nodes.append(node)
        elif token.type in ("fence", "code_block"):
            at.children.append(Node("pre", token.content))
        elif token.type == "code_inline":
            at.children.append(Node("code", token.content))
        elif token.type == "softbreak":
            at.children.append(Node("br"))
        elif token.tag in _ELEMENTS:
            at.children.append(Node(token.tag))
        else:
            at.children += _pieces(token.content, links)


def _element(token: Token) -> Node:
    if token.type == "link_open":
        return Node("address", target=str(token.attrs.get("href", "")))
    return Node(token.tag if token.tag in _ELEMENTS else "p")


def _pieces(text: str, links: Links) -> list[Node]:
    """Split a text into links to notes, tags, marks and checkboxes."""
    results: list[Node] = []
    if box := _BOX.match(text):
        results.append(Node("box" if box[1] == " " else "done"))
        text = text[box.end() :]
    end = 0
    for piece in _PIECE.finditer(text):
        results.append(Node("text", text[end : piece.start()]))
        if piece["tag"] or piece["mark"]:
            results.append(Node("tag" if piece["tag"] else "mark", piece["tag"] or piece["mark"]))
        else:
            link = links.read(piece[1], piece[2])
            results.append(Node("missing" if link.path is None else "note", link.label, link.path or ""))
        end = piece.end()
    return [*results, Node("text", text[end:])]
