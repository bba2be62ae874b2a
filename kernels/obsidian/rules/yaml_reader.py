"""Front matter as npm's `yaml` 2.8 reads it: YAML 1.2 in its core schema, where dates are texts and `yes` is no boolean.

Of YAML's grammar all that front matter is written in: block and flow collections, plain, quoted and block scalars over several
lines, comments, anchors and aliases. Tags are passed over. Members' names are texts; a repeated node is one value again.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

from soundstage.kernels.obsidian.rules import javascript
from soundstage.kernels.obsidian.rules.yaml_scalars import resolved, unquoted_double

_SHOWN = 80  # columns of the line that an error shows
_DEEPEST = 200
_KEY_END = re.compile(r":(?=[ \t\n]|$)")
_PROPERTY = re.compile(r"[&!][^ \t\n,\[\]{}]*")
_COMMENT = re.compile(r"[ \t]+#[^\n]*")


class YamlError(Exception):
    """Text that is no YAML. Its message is the library's, with line, column and an excerpt."""


def read(text: str) -> Any:
    """The value of one document; None for an empty one.

    Raises:
        YamlError
    """
    return _Reader(text.replace("\r\n", "\n").replace("\r", "\n")).document()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.anchors: dict[str, Any] = {}

    def document(self) -> Any:
        """The text's one value."""
        column = self._next_line()
        if column is None:
            return None
        value = self._node(column, -1)
        if self._next_line() is not None:
            self._fail("Unexpected scalar at node end", self._content())
        return value

    # -- block ----------------------------------------------------------------------------------------------------------

    def _node(self, column: int, parent: int) -> Any:
        """The node that begins in this column of the current line, below something in the column `parent`."""
        self.depth += 1
        if self.depth > _DEEPEST:
            self._fail("Maximum call stack size exceeded", self.at)
        self.at = self._line_start() + column
        if self._is_item():
            value: Any = self._sequence(column, parent)
        elif self._key_length() is not None:
            value = self._mapping(column)
        else:
            value = self._value(parent)
        self.depth -= 1
        return value

    def _sequence(self, column: int, parent: int) -> list[Any]:
        items: list[Any] = []
        while True:
            self.at += 1
            inner = self._inline_column()
            items.append(self._below(column) if inner is None else self._node(inner, column))
            following = self._next_line()
            if following is None or following < column:
                return items
            self.at = self._line_start() + following
            if following > column:
                self._fail("All sequence items must start at the same column", self.at)
            if not self._is_item():
                if column != parent and column == 0:
                    self._fail("Unexpected scalar at node end", self.at, self._width())
                return items

    def _mapping(self, column: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while True:
            start = self.at
            name = self._key(column)
            if name in members:
                self._fail("Map keys must be unique", start)
            self.at += 1  # the colon
            members[name] = self._member(column)
            following = self._next_line()
            if following is None or following < column:
                return javascript.members(members)
            self.at = self._line_start() + following
            if following > column:
                self._fail("All mapping items must start at the same column", self._line_start())
            if self._is_item():
                self._fail("Implicit keys need to be on a single line", self.at)

    def _member(self, column: int) -> Any:
        """What stands behind the colon of a key in this column."""
        self._blanks()
        name = self._properties()
        value = self._below(column, also_items=True) if self._at_line_end() else self._value(column)
        if name is not None:
            self.anchors[name] = value
        return value

    def _below(self, column: int, *, also_items: bool = False) -> Any:
        """The node on the lines below one in this column, None where there is none."""
        self._end_line()
        inner = self._next_line()
        if inner is None:
            return None
        self.at = self._line_start() + inner
        if inner > column or (also_items and inner == column and self._is_item()):
            return self._node(inner, column)
        return None

    def _key(self, column: int) -> str:
        length = self._key_length()
        if length is None:
            self._fail("Implicit map keys need to be followed by map values", self.at, self._rest_of_line())
        if self.text[self.at] in "\"'":
            return str(self._quoted())
        written = self.text[self.at : self.at + length].rstrip(" \t")
        self.at += length
        return _member_name(resolved(written))

    def _key_length(self) -> int | None:
        """How long the key is with which the line goes on here, None where none does."""
        if self.text[self.at] in "\"'":
            closed = _quoted_end(self.text, self.at)
            end = closed and re.compile(r"[ \t]*(?=:(?:[ \t\n]|$))").match(self.text, closed)
            if not end or "\n" in self.text[self.at : end.end()]:
                return None
            return end.end() - self.at
        if self.text[self.at] in "[{|>":
            return None
        line = self.text[self.at : self._line_end()]
        found, comment = _KEY_END.search(line), _COMMENT.search(line)
        if found is None or (comment is not None and comment.start() < found.start()):
            return None
        return found.start()

    # -- values ---------------------------------------------------------------------------------------------------------

    def _value(self, parent: int) -> Any:
        """A scalar or a flow collection that begins here."""
        name = self._properties()
        first = self.text[self.at : self.at + 1]
        if first in ("|", ">"):
            value: Any = self._block_scalar(parent)
        elif first == "*":
            value = self._alias()
            self._finish()
        elif first == "-" and parent >= 0 and self._is_item() and not self._begins_line():
            self._fail("Unexpected block-seq-ind on same line with key", self.at)
        elif first and first in "[{":
            value = self._flow(parent)
            self._finish()
        elif first and first in "\"'":
            value = self._quoted()
            self._finish()
        else:
            value = self._plain(parent)
        if name is not None:
            self.anchors[name] = value
        return value

    def _plain(self, parent: int) -> Any:
        start = self.at
        first = self.text[start : start + 1]
        if first and first in "@`":
            self._fail(f"Plain value cannot start with reserved character {first}", start)
        if first and first in "]}":
            self._fail(f'Unexpected flow-{"seq" if first == "]" else "map"}-end token in YAML stream: "{first}"', start)
        if first == "?" and parent >= 0 and self.text[start + 1 : start + 2] in (" ", "\t"):
            self._fail("Nested mappings are not allowed in compact mappings", start)
        if first == "%":
            self._fail("Plain value cannot start with directive indicator character %", start)
        if first == ",":
            self._fail("Plain value cannot start with flow indicator character ,", start)
        lines: list[str] = []
        while True:
            line = self.text[self.at : self._line_end()]
            commented = _COMMENT.search(line)
            shown = (line[: commented.start()] if commented else line).strip(" \t")
            if _KEY_END.search(shown):
                in_key = "Nested mappings are not allowed in compact mappings"
                self._fail(in_key if parent >= 0 else "Implicit keys need to be on a single line", start)
            lines.append(shown)
            self._end_line()
            if commented or not self._continues(parent):
                break
            while not (line := self.text[self.at : self._line_end()]).strip(" \t"):
                lines.append("")
                self.at = self._line_end() + 1
            self.at += len(line) - len(line.lstrip(" \t"))
        return resolved(_joined(lines))

    def _continues(self, parent: int) -> bool:
        """Whether a plain scalar goes on in the next line that is not empty."""
        at = self.at
        while at < len(self.text):
            end = self.text.find("\n", at)
            line = self.text[at : end if end >= 0 else len(self.text)]
            if line.strip(" \t"):
                indent = len(line) - len(line.lstrip(" "))
                return indent > parent and not line.lstrip(" ").startswith("#")
            at += len(line) + 1
        return False

    def _quoted(self) -> str:
        start, quote = self.at, self.text[self.at]
        end = _quoted_end(self.text, start)
        if end is None:
            self._fail(f"Missing closing {quote}quote", len(self.text))
        self.at = end
        inner = self.text[start + 1 : end - 1]
        if quote == "'":
            return _joined([_trimmed(part, i, inner) for i, part in enumerate(inner.split("\n"))]).replace("''", "'")
        return unquoted_double(inner)

    def _block_scalar(self, parent: int) -> str:
        header = self.text[self.at : self._line_end()]
        found = re.match(r"([|>])([+-]?)([1-9]?)([+-]?)(?:[ \t]+(?:#.*)?|$)", header)
        if found is None:
            self._fail(f"Block scalar header includes extra characters: {header.split()[0]}", self.at + 1)
        if found.end() < len(header):
            self._fail(f"Not a YAML token: {header[found.end() :]}", self.at + found.end(), len(header) - found.end())
        style, chomp, digit = found[1], found[2] or found[4], found[3]
        self._end_line()
        lines: list[str] = []
        indent = max(parent, 0) + int(digit) if digit else None
        while self.at < len(self.text):
            line = self.text[self.at : self._line_end()]
            spaces = len(line) - len(line.lstrip(" "))
            if line.strip(" "):
                if spaces <= parent or (indent is not None and spaces < indent):
                    break
                indent = spaces if indent is None else indent
            lines.append(line)
            self.at = min(self._line_end() + 1, len(self.text))
        return _block_text([line[indent or 0 :] for line in lines], style, chomp)

    def _flow(self, parent: int) -> Any:
        """A flow collection, `[…]` or `{…}`."""
        self.depth += 1
        opening = self.text[self.at]
        closing = "]" if opening == "[" else "}"
        items: list[Any] = []
        members: dict[str, Any] = {}
        self.at += 1
        while True:
            self._flow_space()
            ended = (
                self.at >= len(self.text) or self.text[self.at] in "]}".replace(closing, "") or self.depth > _DEEPEST
            )
            if ended or (self._begins_line() and self.at - self._line_start() <= parent):
                kind = "map" if opening == "{" else "sequence"
                what = f"Flow {kind} in block collection must be sufficiently indented and end with a {closing}"
                self._fail(what if parent >= 0 else f"Expected flow {kind} to end with {closing}", self.at)
            if self.text[self.at] == closing:
                break
            if self.text[self.at] == ",":
                self._fail(f"Unexpected , in flow {'map' if opening == '{' else 'sequence'}", self.at)
            key, value, is_pair = self._flow_item(parent)
            if opening == "{":
                members[_member_name(key)] = value
            else:
                items.append({_member_name(key): value} if is_pair else key)
            self._flow_space()
            if self.text[self.at : self.at + 1] == ",":
                self.at += 1
            elif self.at < len(self.text) and self.text[self.at] not in "]}":
                self._fail("Missing , between flow collection items", self.at)
        self.at += 1
        self.depth -= 1
        return items if opening == "[" else javascript.members(members)

    def _flow_item(self, parent: int) -> tuple[Any, Any, bool]:
        quoted = self.text[self.at] in "\"'"
        key = self._flow_value(parent)
        self._flow_space()
        if self.text[self.at : self.at + 1] == ":" and (
            quoted or self.text[self.at + 1 : self.at + 2] in (*" \t\n,]}", "")
        ):
            self.at += 1
            self._flow_space()
            if self.text[self.at : self.at + 1] in (",", "]", "}"):
                return key, None, True
            return key, self._flow_value(parent), True
        return key, None, False

    def _flow_value(self, parent: int) -> Any:
        name = self._properties()
        first = self.text[self.at : self.at + 1]
        if first == "*":
            value = self._alias()
        elif first and first in "[{":
            value = self._flow(parent)
        elif first and first in "\"'":
            value = self._quoted()
        else:
            found = re.compile(r"(?:[^\n,\[\]{}:#]|:(?![ \t\n,\[\]{}]|$)|(?<![ \t\n])#|\n)*").match(self.text, self.at)
            assert found is not None
            self._flow_lines(found, parent)
            self.at = found.end()
            value = resolved(_joined([line.strip(" \t") for line in found[0].strip(" \t\n").split("\n")]))
        if name is not None:
            self.anchors[name] = value
        return value

    def _flow_lines(self, plain: re.Match[str], parent: int) -> None:
        """Refuse a plain text in a flow collection of which a line is not indented enough."""
        for line in re.finditer(r"\n( *)(?=[^ \n])", plain[0]):
            if len(line[1]) <= parent:
                what = "Flow sequence in block collection must be sufficiently indented and end with a ]"
                self._fail(what, plain.start() + line.start() + 1)

    def _alias(self) -> Any:
        found = re.compile(r"\*([^ \t\n,\[\]{}]*)").match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        if found[1] not in self.anchors:
            raise YamlError(f"Unresolved alias (the anchor must be set before the alias): {found[1]}")
        return self.anchors[found[1]]

    def _properties(self) -> str | None:
        """The anchor's name, if there is one; tags are passed over."""
        name = None
        while found := _PROPERTY.match(self.text, self.at):
            name = found[0][1:] if found[0][0] == "&" else name
            self.at = found.end()
            self._blanks()
        return name

    # -- places ---------------------------------------------------------------------------------------------------------

    def _next_line(self) -> int | None:
        """Go to the next line that has content; its column, None at the end."""
        while self.at < len(self.text):
            start = self._line_start()
            line = self.text[start : self._line_end()]
            content = line.lstrip(" ")
            if content.strip(" \t") and not content.lstrip(" \t").startswith("#"):
                if content.startswith("\t"):
                    self._fail("Tabs are not allowed as indentation", start + len(line) - len(content))
                self.at = start
                return len(line) - len(content)
            self.at = self._line_end() + 1
        return None

    def _inline_column(self) -> int | None:
        """Behind a dash: the column at which the item begins in the same line."""
        self._blanks()
        if self._at_line_end():
            return None
        return self.at - self._line_start()

    def _finish(self) -> None:
        """Behind a value that ends by itself: nothing but a comment may follow."""
        here = self.at
        self._blanks()
        rest = self.text[self.at : self._line_end()]
        if rest and not (rest.startswith("#") and self.at > here):
            kind = {"'": "single-quoted-scalar", '"': "double-quoted-scalar"}.get(rest[0], "scalar")
            self._fail(f"Unexpected {kind} at node end", self.at, len(rest))
        self._end_line()

    def _flow_space(self) -> None:
        found = re.compile(r"(?:[ \t\n]|(?<=[ \t\n])#[^\n]*)*").match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def _blanks(self) -> None:
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1

    def _at_line_end(self) -> bool:
        return self.at >= self._line_end() or self.text[self.at] == "#"

    def _end_line(self) -> None:
        self.at = min(self._line_end() + 1, len(self.text))

    def _is_item(self) -> bool:
        return self.text[self.at] == "-" and self.text[self.at + 1 : self.at + 2] in (" ", "\t", "\n", "")

    def _begins_line(self) -> bool:
        return not self.text[self._line_start() : self.at].strip(" ")

    def _width(self) -> int:
        """How much of a misplaced line an error points at: of a key its first sign."""
        return 1 if self._key_length() is not None else self._rest_of_line()

    def _rest_of_line(self) -> int:
        """How long the rest of the line is, without its comment."""
        line = self.text[self.at : self._line_end()]
        return len(_COMMENT.sub("", line).rstrip(" \t"))

    def _line_start(self) -> int:
        return self.text.rfind("\n", 0, self.at) + 1

    def _line_end(self) -> int:
        end = self.text.find("\n", self.at)
        return len(self.text) if end < 0 else end

    def _content(self) -> int:
        line = self.text[self._line_start() : self._line_end()]
        return self._line_start() + len(line) - len(line.lstrip(" "))

    def _fail(self, problem: str, at: int, width: int = 1) -> NoReturn:
        raise YamlError(_told(self.text, problem, at, width))


def _told(text: str, problem: str, at: int, width: int) -> str:
    """A problem with its place, and an excerpt that points at it."""
    before = text[:at]
    line, column = before.count("\n") + 1, at - (before.rfind("\n") + 1)
    lines = text.split("\n")
    shown = lines[line - 1]
    if column >= 60 and len(shown) > _SHOWN:
        cut = min(column - 39, len(shown) - 79)
        shown, column_shown = "…" + shown[cut:], column - cut + 1
    else:
        column_shown = column
    if len(shown) > _SHOWN:
        shown = shown[:79] + "…"
    above = ""
    if line > 1 and not shown[:column_shown].strip(" "):
        above = lines[line - 2]
        above = (above[:79] + "…" if len(above) + 1 > _SHOWN else above) + "\n"
    told = f"{problem} at line {line}, column {column + 1}"
    if not (above + shown).strip(" "):
        return told
    pointer = " " * column_shown + "^" * max(1, min(width, _SHOWN - column_shown))
    return f"{told}:\n\n{above}{shown}\n{pointer}\n"


def _quoted_end(text: str, start: int) -> int | None:
    """Where a quoted scalar ends that begins at `start`; None where it does not."""
    pattern = r'"(?:[^"\\]|\\.)*+"' if text[start] == '"' else r"'(?:[^']|'')*+'"
    found = re.compile(pattern, re.DOTALL).match(text, start)
    return found.end() if found else None


def _joined(lines: list[str]) -> str:
    """Lines of a flow scalar as one text: a break is a blank, and each empty line a break."""
    text, breaks = lines[0], 0
    for line in lines[1:]:
        if not line:
            breaks += 1
            continue
        text += "\n" * breaks + line if breaks else " " + line
        breaks = 0
    return text + ("\n" * breaks if breaks and len(lines) > 1 else "")


def _trimmed(line: str, index: int, whole: str) -> str:
    """A line of a quoted scalar without the blanks around its breaks."""
    last = whole.count("\n")
    line = line if index == 0 else line.lstrip(" \t")
    return line if index == last else line.rstrip(" \t")


def _block_text(lines: list[str], style: str, chomp: str) -> str:
    empty = 0
    while lines and not lines[-1].strip(" "):
        lines.pop()
        empty += 1
    if not lines:
        return "\n" * empty if chomp == "+" else ""
    body = "\n".join(lines) if style == "|" else _folded(lines)
    return body + {"-": "", "+": "\n" * (empty + 1)}.get(chomp, "\n")


def _folded(lines: list[str]) -> str:
    text = before = ""
    breaks = -1  # as many as there are empty lines, but for the first line
    for line in lines:
        if not line:
            breaks += 1
            continue
        indented = line[0] in " \t" or before[:1] in (" ", "\t")
        begins = not before
        text += "\n" * (breaks + 1) + line if begins else ("\n" * (breaks + indented) or " ") + line
        before, breaks = line, 0
    return text


def _member_name(value: Any) -> str:
    """The name of a member whose key is this value."""
    return "" if value is None else javascript.text(value)
