"""A message's text in pieces of one style each; its marked parts may overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

_LOOKS = {
    "bold": "bold", "italic": "italic", "underline": "underline", "strike": "strike", "code": "code", "pre": "code",
    "spoiler": "spoiler", "blockquote": "quote", "text_url": "link", "url": "link", "email": "link", "mention": "link",
    "mention_name": "link", "hashtag": "link", "bot_command": "link",
}  # fmt: skip


class Piece(NamedTuple):
    """A piece of text: `looks` are CSS class names, `url` is the target of a link."""

    looks: str
    text: str
    url: str


def pieces(text: str, marked: Sequence[Mapping[str, Any]]) -> list[Piece]:
    """Cut a text at the boundaries of its marked parts.

    Offsets count UTF-16 units; parts that exceed the text end with it.
    """
    units = text.encode("utf-16-le", "surrogatepass")
    size = len(units) // 2
    parts = [(*_span(part, size), part) for part in marked]
    cuts = sorted({0, size, *(start for start, _, _ in parts), *(end for _, end, _ in parts)})
    result = []
    for start, end in pairwise(cuts):
        around = [part for begin, stop, part in parts if begin <= start and end <= stop]
        looks = dict.fromkeys(look for part in around if (look := _LOOKS.get(str(part.get("type")))))
        url = next((str(part["url"]) for part in around if part.get("url")), "")
        result.append(Piece(" ".join(looks), units[2 * start : 2 * end].decode("utf-16-le", "replace"), url))
    return result


def _span(part: Mapping[str, Any], size: int) -> tuple[int, int]:
    start = min(max(int(part.get("offset") or 0), 0), size)
    return start, min(max(start + int(part.get("length") or 0), start), size)
