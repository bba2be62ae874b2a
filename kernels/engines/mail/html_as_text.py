"""HTML mail as plain text, in the format of html-to-text 9.

mailparser uses that library for mail without a text part. Headings are upper case, links and images are followed by their
addresses, list items have markers, and lines have 80 characters. A table is an ordinary block whose cells are not separated.
The output was compared with html-to-text 9.0.5 with its default settings. The implied end tags are those of htmlparser2, its
HTML parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser

_WIDTH, _NARROWEST = 80, 20
_DEEPEST = 120
"""Deeper elements become siblings of their parents."""
_WORD = re.compile("[^ \t\r\n\f\u200b]+")
_BLANK = " \t\r\n\f\u200b"
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
# Minimum number of line breaks before and after an element.
_AROUND: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("article", "aside", "div", "footer", "form", "header", "main", "nav", "section"), (1, 1)),
    **dict.fromkeys(("p", "pre", "blockquote", "table", "hr", "h4", "h5", "h6"), (2, 2)),
    **dict.fromkeys(("h1", "h2", "h3"), (3, 2)),
}
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# Elements that a start tag implicitly closes if they are its direct parents.
_ENDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        (
            "p", "address", "article", "aside", "blockquote", "details", "div", "dl", "fieldset", "figcaption", "figure",
            "footer", "form", "header", "hr", "main", "nav", "ol", "pre", "section", "table", "ul", *_HEADINGS,
        ),
        frozenset({"p"}),
    ),
    **dict.fromkeys(("dd", "dt"), frozenset({"dd", "dt"})),
    **dict.fromkeys(("tbody", "tfoot"), frozenset({"thead", "tbody"})),
    "li": frozenset({"li"}),
    "tr": frozenset({"tr", "th", "td"}),
    "th": frozenset({"th"}),
    "td": frozenset({"thead", "th", "td"}),
    "body": frozenset({"head", "link", "script"}),
    "option": frozenset({"option"}),
}  # fmt: skip
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


def to_mail_text(html: str) -> str:
    """Return HTML as text; if the page has a body, only the body."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    writer = _Writer()
    for node in _bodies(parser.root) or parser.root.children:
        writer.write(node, parser.root)
    return writer.block.contents()


@dataclass(slots=True)
class _Element:
    """An element, or the root of the tree; text children are strings."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[_Element | str] = field(default_factory=list)


class _Parser(HTMLParser):
    """Builds a tree from HTML as leniently as htmlparser2."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = _Element("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        ended = _ENDS.get(tag, frozenset())
        while self._open[-1].tag in ended:
            self._open.pop()
        element = _Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in _VOID and len(self._open) < _DEEPEST:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        at = next((i for i in reversed(range(1, len(self._open))) if self._open[i].tag == tag), None)
        if at is not None:
            del self._open[at:]
        elif tag in ("p", "br"):
            self._open[-1].children.append(_Element(tag))

    def handle_data(self, data: str) -> None:
        if self._open[-1].tag not in ("script", "style"):
            self._open[-1].children.append(data)


def _bodies(element: _Element) -> list[_Element]:
    """Return the outermost `body` elements."""
    elements: list[_Element] = []
    for child in element.children:
        if isinstance(child, _Element):
            elements += [child] if child.tag == "body" else _bodies(child)
    return elements


class _Words:
    """The words of a paragraph, wrapped to a maximum width."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[list[str]] = []
        self.line: list[str] = []
        self.spaced = False  # whether whitespace precedes the next text
        self._left = width

    @property
    def is_empty(self) -> bool:
        return not self.lines and not self.line

    def add(self, text: str, change: Callable[[str], str]) -> None:
        """Add running text; its first word may continue the last one."""
        words = _WORD.findall(text)
        for i, word in enumerate(words):
            apart = i > 0 or self.spaced or text[0] in _BLANK
            self._push(change(word)) if apart else self._push((self._pop() or "") + change(word))
        self.spaced = (self.spaced and not words) or text[-1] in _BLANK

    def break_line(self, times: int = 1) -> None:
        self.lines += [self.line, *([] for _ in range(times - 1))]
        self.line, self._left = [], self.width

    def clear(self) -> None:
        self.lines, self.line, self._left = [], [], self.width

    def __str__(self) -> str:
        return "\n".join(" ".join(line) for line in (*self.lines, self.line))

    def _push(self, word: str) -> None:
        if self._left <= 0:
            self.break_line()
        cost = _letters(word) + bool(self.line)
        if cost > self._left and self.line:
            self.break_line()
            cost = _letters(word)
        self.line.append(word)
        self._left -= cost

    def _pop(self) -> str | None:
        if not self.line:
            return None
        word = self.line.pop()
        self._left += _letters(word) + bool(self.line)
        return word


class _Block:
    """Text that forms its own lines. `stashed` is the number of line breaks to write if more text follows."""

    def __init__(self, width: int, leading: int = 0, *, is_pre: bool = False) -> None:
        self.words = _Words(max(_NARROWEST, width))
        self.leading = leading
        self.is_pre = is_pre
        self.text = ""
        self.stashed = 0

    def contents(self) -> str:
        return self.text if self.words.is_empty else f"{self.text}{self.words}"

    def put(self, text: str, leading: int, trailing: int) -> None:
        """Append lines to the block."""
        before, breaks = self.contents(), max(self.stashed, leading)
        self.words.clear()
        if before:
            self.text = before + "\n" * breaks + text
        else:
            self.text, self.leading = text, breaks
        self.stashed = trailing


class _Writer:
    """Writes elements into nested blocks; `block` is the innermost one."""

    def __init__(self) -> None:
        self.block = _Block(_WIDTH)
        self._changes: list[Callable[[str], str]] = []

    def write(self, node: _Element | str, parent: _Element) -> None:
        if isinstance(node, str):
            self._say(node, self._changed)
            return
        match node.tag:
            case "br":
                self._break_line()
            case "img":
                address = f"[{node.attributes['src']}]" if node.attributes.get("src") else ""
                self._say(" ".join(filter(None, (node.attributes.get("alt"), address))), str)
            case "a":
                self._link(node)
            case "ul" | "ol":
                self._list(node, nested=parent.tag == "li")
            case tag if tag in _AROUND:
                self._block(node, *_AROUND[tag])
            case _:
                self._all(node)

    def _all(self, element: _Element) -> None:
        for child in element.children:
            self.write(child, element)

    def _block(self, element: _Element, leading: int, trailing: int) -> None:
        is_quote = element.tag == "blockquote"
        outer, width = self.block, self.block.words.width
        self.block = _Block(width - 2 * is_quote, leading, is_pre=element.tag == "pre")
        if element.tag == "hr":
            self._say("-" * _WIDTH, self._changed)
        elif element.tag in _HEADINGS:
            self._changes.append(str.upper)
            self._all(element)
            self._changes.pop()
        else:
            self._all(element)
        inner, self.block = self.block, outer
        text = inner.contents()
        if is_quote:
            text = "\n".join(f"> {line}" for line in text.strip("\n").split("\n"))
        outer.put(text, inner.leading, max(inner.stashed, trailing))

    def _list(self, element: _Element, *, nested: bool) -> None:
        items = [child for child in element.children if not isinstance(child, str) or child.strip()]
        if not items:
            return
        signs = _signs(element, items, nested=nested)
        indent = max(map(len, signs))
        outer, width = self.block, self.block.words.width
        rows = _Block(width, 1 if nested else 2)
        for item, sign in zip(items, signs, strict=True):
            self.block = _Block(width - indent, 1)
            self.write(item, element)
            text = sign.ljust(indent) + self.block.contents().replace("\n", "\n" + " " * indent)
            rows.put(text, self.block.leading, max(self.block.stashed, 1))
        self.block = outer
        outer.put(rows.contents(), rows.leading, 1 if nested else 2)

    def _link(self, element: _Element) -> None:
        address = element.attributes.get("href", "").removeprefix("mailto:")
        if not address or address.startswith("#"):
            self._all(element)
            return
        lines: list[str] = []
        self._changes.append(lambda word: lines.append(word) or word)  # type: ignore[func-returns-value]
        self._all(element)
        self._changes.pop()
        self._say(f" [{address}]" if lines else address, str)

    def _say(self, text: str, change: Callable[[str], str]) -> None:
        block = self.block
        if block.is_pre:
            block.text += text
            return
        if not text or (block.stashed and not text.strip(_BLANK)):
            return
        if block.stashed:
            block.words.break_line(block.stashed)
        block.words.add(text, change)
        block.stashed = 0

    def _break_line(self) -> None:
        if self.block.is_pre:
            self.block.text += "\n"
        else:
            self.block.words.break_line()

    def _changed(self, word: str) -> str:
        for change in reversed(self._changes):
            word = change(word)
        return word


def _signs(element: _Element, items: list[_Element | str], *, nested: bool) -> list[str]:
    """Return the marker of each item: a star, a number, or nothing for children that are not list items."""
    start = element.attributes.get("start") or "1"
    number = int(start) if re.fullmatch(r"\s*-?[0-9]{1,9}\s*", start) else 1
    signs: list[str] = []
    for item in items:
        if isinstance(item, str) or item.tag != "li":
            signs.append("")
            continue
        sign = " * " if element.tag == "ul" else f" {_numbered(number, element.attributes.get('type', '1'))}. "
        signs.append(sign.lstrip() if nested else sign)
        number += 1
    return signs


def _numbered(number: int, kind: str) -> str:
    if kind in ("a", "A") and number > 0:
        letters = ""
        while number > 0:
            number, letter = divmod(number - 1, 26)
            letters = chr(ord(kind) + letter) + letters
        return letters
    if kind in ("i", "I") and 0 < number < 4000:
        text = ""
        for value, sign in _ROMAN:
            times, number = divmod(number, value)
            text += sign * times
        return text if kind == "i" else text.upper()
    return str(number)


def _letters(word: str) -> int:
    """Return the length of a word in JavaScript, in UTF-16 units."""
    return len(word) + sum(character > "\uffff" for character in word)
