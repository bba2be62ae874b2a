"""The text of HTML mail, for search and snippets."""

from __future__ import annotations

import re
from functools import lru_cache
from html.parser import HTMLParser

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# Minimum number of line breaks around an element.
_AROUND = {
    **dict.fromkeys(
        ("address", "article", "body", "center", "div", "footer", "form", "header", "main", "nav", "section"), 1
    ),
    **dict.fromkeys(("p", "ul", "ol", "dl", "pre", "blockquote", "hr", *_HEADINGS), 2),
}
_CELLS = {"tr": "\n", "td": " ", "th": " ", "table": "\n"}
_HIDDEN = frozenset({"script", "style", "head", "title", "template"})


@lru_cache(maxsize=512)
def to_text(html: str) -> str:
    """Return the visible text of HTML, for search."""
    return _read(html, _Reader()).strip()


class _Reader(HTMLParser):
    """Collects text, and writes pending line breaks only when more text follows."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self._breaks = 0
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        self._break(_AROUND.get(tag, 0))
        if tag == "br":
            self.text = self.text.rstrip(" ") + "\n"
        self.begin(tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        self.end(tag)
        self._break(_AROUND.get(tag, 0))

    def handle_data(self, data: str) -> None:
        words = re.sub(r"[ \t\r\n\f]+", " ", data)
        if not self._hidden and words:
            self.write(words)

    def write(self, words: str) -> None:
        if self._breaks or not self.text or self.text.endswith(("\n", " ")):
            words = words.lstrip(" ")
        if not words:
            return
        if self._breaks and self.text:
            self.text = self.text.rstrip(" ") + "\n" * (self._breaks - len(self.text) + len(self.text.rstrip("\n")))
        self._breaks = 0
        self.text += words

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _CELLS or tag == "li":
            self._break(1)

    def end(self, tag: str) -> None:
        if tag in _CELLS or tag == "li":
            self._break(1)

    def _break(self, lines: int) -> None:
        self._breaks = max(self._breaks, lines)


def _read(html: str, reader: _Reader) -> str:
    reader.feed(html)
    reader.close()
    return reader.text.rstrip(" \n")
