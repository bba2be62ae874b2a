"""A note's blocks as npm's `marked` 14 splits them, each with its source text ("raw"), by which the plugin finds targets.

markdown-it determines the boundaries of blocks. This module handles the differences of `marked`: which line breaks belong to a
block, and that the content of quotes and list items is dedented before it is parsed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from soundstage.kernels.engines.javascript import SPACES

_DEEPEST = 20  # maximum nesting of quotes and lists, the same as markdown-it's
_KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "code",
    "code_block": "code",
    "blockquote_open": "blockquote",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "html_block": "html",
    "hr": "hr",
}
_TAKE_BREAKS = frozenset({"heading_open", "table_open", "html_block", "code_block"})
_QUOTE = re.compile(r" {0,3}>[ \t]?")
_BULLET = re.compile(r"( {0,3}(?:[*+-]|\d{1,9}[.)]))(.*)", re.DOTALL)
_TASK = re.compile(r"\[[ xX]\] +")


@dataclass(slots=True)
class Block:
    """A block. Headings have `depth` and `text`; `children` are the blocks of a quote or list item, or the items of a list."""

    kind: str
    raw: str
    depth: int = 0
    text: str = ""
    children: list[Block] = field(default_factory=list)


def blocks(source: str) -> list[Block]:
    """Return the top-level blocks of a text."""
    return _cut(source.replace("\r\n", "\n").replace("\r", "\n"), 0)


def walk(results: list[Block]) -> Iterator[Block]:
    """Yield all blocks, each before its children."""
    for block in results:
        yield block
        yield from walk(block.children)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _cut(source: str, level: int, *, in_item: bool = False) -> list[Block]:
    """Split a text into blocks; inside a list item, paragraphs are bare text."""
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    opening = [t for t in _parser().parse(source) if t.level == 0 and t.nesting >= 0 and t.map]
    results: list[Block] = []
    position = 0
    for number, token in enumerate(opening):
        first, end = token.map or [0, 0]
        following = (opening[number + 1].map or [0])[0] if number + 1 < len(opening) else len(lines)
        while end > first + 1 and not lines[end - 1].strip():
            end -= 1
        _add_space(results, source[position : starts[first]])
        stop = min(starts[end] - 1, len(source))
        gap = source[stop : min(starts[following], len(source))] if following > end else source[stop : stop + 1]
        if token.type in _TAKE_BREAKS:
            stop += len(gap) - len(gap.lstrip("\n")) if token.type != "code_block" else len(gap)
        position = stop
        results.append(_block(token, lines[first:end], source[starts[first] : stop], level, in_item))
    _add_space(results, source[position:])
    return results


def _add_space(results: list[Block], gap: str) -> None:
    """Add the line breaks between two blocks. A single one belongs to the preceding block. Link definitions are not blocks."""
    blank = gap[: len(gap) - len(gap.lstrip(" \t\n"))] if gap.strip(" \t\n") else gap
    if blank == "\n" and results:
        results[-1].raw += "\n"
    elif blank:
        results.append(Block("space", blank))


def _block(token: Token, lines: list[str], raw: str, level: int, in_item: bool) -> Block:
    kind = _KINDS.get(token.type, token.type)
    if kind == "heading":
        return Block(kind, raw, int(token.tag[1]), _heading_text(lines, token.markup))
    if kind == "paragraph":
        return Block("text" if in_item else kind, raw)
    if kind == "blockquote" and level < _DEEPEST:
        inner = "\n".join(_QUOTE.sub("", line, count=1) if _QUOTE.match(line) else line for line in lines)
        return Block(kind, raw, children=_cut(inner, level + 1))
    if kind == "list" and level < _DEEPEST:
        return Block(kind, raw, children=_items(lines, level))
    return Block(kind, raw)


def _heading_text(lines: list[str], markup: str) -> str:
    if not markup.startswith("#"):  # underlined
        return "\n".join(lines[:-1]).strip(SPACES)
    text = lines[0].lstrip(" ")[len(markup) :].strip(SPACES)
    bare = text.rstrip("#")
    return bare.strip(SPACES) if bare != text and (not bare or bare.endswith(" ")) else text


def _items(lines: list[str], level: int) -> list[Block]:
    """Return a list's items; each but the last includes the line break before the next."""
    source = "\n".join(lines)
    tokens = _parser().parse(source)
    starts = [t.map[0] for t in tokens if t.type == "list_item_open" and t.level == 1 and t.map]
    results: list[Block] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        last = end == len(lines)
        raw = "\n".join(lines[start:end])
        text = _item_text(lines[start:end])
        if last:
            raw, text = raw.rstrip(SPACES), text.rstrip(SPACES)
        else:
            raw += "\n"
        results.append(Block("list_item", raw, children=_cut(text, level + 1, in_item=True)))
    return results


def _item_text(lines: list[str]) -> str:
    """Return the content of a list item without its bullet and indentation."""
    match = _BULLET.match(lines[0])
    if match is None:
        return "\n".join(lines)
    bullet, rest = match[1], match[2]
    spaces = len(rest) - len(rest.lstrip(" "))
    indent = (1 if spaces > 4 else spaces) if rest.strip() else 1
    text = [_TASK.sub("", rest[indent:], count=1) if _TASK.match(rest[indent:]) else rest[indent:]]
    column = indent + len(bullet)
    for line in lines[1:]:
        wide = line.replace("\t", "    ")
        deep = not line.strip() or len(wide) - len(wide.lstrip(" ")) >= column
        text.append(wide[column:] if deep else line)
    return "\n".join(text)
