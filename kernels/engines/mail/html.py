"""The text of HTML mail: for search and snippets, and as html-to-text 9 writes it, with which mailparser reads HTML."""

from __future__ import annotations

import re
import textwrap
from functools import lru_cache
from html.parser import HTMLParser

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# How many line breaks there are at least around an element.
_AROUND = {
    **dict.fromkeys(
        ("address", "article", "body", "center", "div", "footer", "form", "header", "main", "nav", "section"), 1
    ),
    **dict.fromkeys(("p", "ul", "ol", "dl", "pre", "blockquote", "hr", *_HEADINGS), 2),
}
_CELLS = {"tr": "\n", "td": " ", "th": " ", "table": "\n"}
_HIDDEN = frozenset({"script", "style", "head", "title", "template"})
_WIDTH = 80


@lru_cache(maxsize=512)
def to_text(html: str) -> str:
    """What a person reads of HTML, as text that can be searched."""
    return _read(html, _Reader()).strip()


def to_mail_text(html: str) -> str:
    """HTML as html-to-text writes it: headings in capitals, links and pictures with their addresses, lists with signs, lines of
    80 letters. Cells of tables are not kept apart.
    """
    text = _read(html, _MailReader())
    return "\n".join(
        "\n".join(textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False, drop_whitespace=True))
        if len(line) > _WIDTH
        else line
        for line in text.split("\n")
    )


class _Reader(HTMLParser):
    """Writes text as it comes, and breaks lines as far as more text follows."""

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


class _MailReader(_Reader):
    """The same in html-to-text's manner."""

    def __init__(self) -> None:
        super().__init__()
        self._heading = 0
        self._lists: list[int] = []  # the number of the next item, 0 where items have none
        self._links: list[str] = []

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        self._heading += tag in _HEADINGS
        match tag:
            case "ul" | "ol":
                self._lists.append(int(tag == "ol"))
            case "li":
                self._break(1)
                self._item()
            case "a":
                self._links.append(attributes.get("href", ""))
            case "img":
                address = f"[{attributes['src']}]" if attributes.get("src") else ""
                self.write(" ".join(part for part in (attributes.get("alt", ""), address) if part))
            case "hr":
                self.write("-" * _WIDTH)
                self._break(2)
            case "blockquote":
                self.write("> ")

    def end(self, tag: str) -> None:
        self._heading = max(0, self._heading - (tag in _HEADINGS))
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._break(1)
        elif tag == "a" and self._links and (address := self._links.pop()):
            self.text = self.text.rstrip(" ")
            self.write(f" [{address.removeprefix('mailto:')}]")

    def write(self, words: str) -> None:
        super().write(words.upper() if self._heading else words)

    def _item(self) -> None:
        sign = "*"
        if self._lists and self._lists[-1]:
            sign, self._lists[-1] = f"{self._lists[-1]}.", self._lists[-1] + 1
        super().write("\0")  # keeps its place: a blank would be dropped
        self.text = f"{self.text[:-1]} {sign} "


def _read(html: str, reader: _Reader) -> str:
    reader.feed(html)
    reader.close()
    return reader.text.rstrip(" \n")
