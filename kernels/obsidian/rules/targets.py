"""The positions of a note's headings and blocks (`getDocumentMap` of markdown-patch 0.2.2).

The library searches for each block's text after the preceding block and may find an earlier occurrence; this is reproduced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from soundstage.kernels.engines.javascript import SPACES
from soundstage.kernels.obsidian.rules.blocks import Block, walk

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_MARKED = ("paragraph", "list_item")
_MARKED_BELOW = ("code", "heading", "table", "blockquote", "list", "paragraph", "image")


@dataclass(slots=True)
class Span:
    """The content of a target, as offsets in the note."""

    start: int
    end: int


def headings(body: str, results: list[Block], offset: int) -> dict[tuple[str, ...], Span]:
    """Return the content below each heading by the names of its ancestors and its own; `("",)` is the whole note.

    `offset` is the length of the note before the body.
    """
    spans: dict[tuple[str, ...], Span] = {("",): Span(offset, len(body) + offset)}
    above: list[tuple[int, tuple[str, ...]]] = []
    titles = [block for block in results if block.kind == "heading"]
    position = 0
    for heading, following in zip(titles, _followers(titles), strict=True):
        raw = heading.raw.strip(SPACES)
        start = _index(body, raw, position) + len(raw) + 1
        end = len(body) if following is None else _index(body, following.raw.strip(SPACES), start)
        while above and above[-1][0] >= heading.depth:
            above.pop()
        path: tuple[str, ...] = (heading.text.strip(SPACES),)
        if above:
            spans[above[-1][1]].end = end + offset
            path = (*above[-1][1], *path)
        spans[path] = Span(start + offset, end + offset)
        above.append((heading.depth, path))
        position = start
    return spans


def marked_blocks(body: str, results: list[Block], offset: int) -> dict[str, Span]:
    """Return the content before each `^id`; an id on a separate line refers to the preceding block."""
    spans: dict[str, Span] = {}
    before: Span | None = None
    start = 0
    for block in walk(results):
        start = _index(body, block.raw, start)
        mark, length = _marked(block.raw)
        end = start + length
        if mark and block.kind in _MARKED:
            alone = start == end and before is not None
            content = before if alone and before is not None else Span(start, end)
            spans[mark] = Span(content.start + offset, content.end + offset)
        if block.kind in _MARKED_BELOW:
            before = Span(start, end - 1)
    return spans


def _followers(titles: list[Block]) -> list[Block | None]:
    """Return for each heading the next one that is not deeper."""
    results: list[Block | None] = []
    behind: list[Block] = []
    for heading in reversed(titles):
        while behind and behind[-1].depth > heading.depth:
            behind.pop()
        results.append(behind[-1] if behind else None)
        behind.append(heading)
    return results[::-1]


def _marked(raw: str) -> tuple[str, int]:
    """Return the id at the end of a block and the length before its mark, or "" and the whole length."""
    front, mark, name = raw.rstrip(SPACES).rpartition("^")
    before = front.rstrip(SPACES)
    if not mark or not _ID.fullmatch(name) or (front and before == front):
        return "", len(raw)
    return name, len(before)


def _index(text: str, part: str, start: int) -> int:
    """Return `indexOf`: -1 if the part does not occur."""
    return text.find(part, max(start, 0))
