"""Front matter as npm's `yaml` 2.8 parses it: YAML 1.2 with the core schema (dates are strings, `yes` is not a boolean).

It supports the parts of YAML that front matter uses: block and flow collections, plain, quoted and block scalars over several
lines, comments, anchors and aliases. Tags are ignored. Keys become strings, and an alias yields the same value again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from soundstage.kernels.engines import javascript
from soundstage.kernels.obsidian.rules.yaml_scalars import block_text, joined, resolved, trimmed, unquoted_double
from soundstage.kernels.obsidian.rules.yaml_source import COMMENT, KEY_END, Source, YamlError, quoted_end

_DEEPEST = 120
_MOST_ALIASES = 100
_PROPERTY = re.compile(r"[&!][^ \t\n,\[\]{}]*")


def read(text: str) -> Any:
    """Return the value of a document; None for an empty one.

    Raises:
        YamlError: The text is not valid YAML.
    """
    return _Reader(text.replace("\r\n", "\n").replace("\r", "\n")).document()


@dataclass(slots=True)
class _Anchor:
    """An anchored node: the number of aliases that may have multiplied its content, and its own number of uses."""

    value: Any
    weight: int
    uses: int = 1  # the library counts the node itself as one use


class _Reader(Source):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0
        self.anchors: dict[str, _Anchor] = {}
        self.weights: list[int] = []  # of the aliases so far

    def document(self) -> Any:
        """Return the value of the document."""
        column = self.next_line()
        if column is None:
            return None
        value = self._node(column, -1)
        if self.next_line() is not None:
            self.fail("Unexpected scalar at node end", self.content())
        return value

    # Block collections

    def _node(self, column: int, parent: int) -> Any:
        """Return the node at this column of the current line, whose parent is at the column `parent`."""
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail("Maximum call stack size exceeded", self.at)
        self.at = self.line_start() + column
        if self.is_item():
            value: Any = self._sequence(column, parent)
        elif self.key_length() is not None:
            value = self._mapping(column)
        else:
            value = self._value(parent)
        self.depth -= 1
        return value

    def _sequence(self, column: int, parent: int) -> list[Any]:
        items: list[Any] = []
        while True:
            self.at += 1
            inner = self.inline_column()
            items.append(self._below(column) if inner is None else self._node(inner, column))
            following = self.next_line()
            if following is None or following < column:
                return items
            self.at = self.line_start() + following
            if following > column:
                self.fail("All sequence items must start at the same column", self.at)
            if not self.is_item():
                if column != parent and column == 0:
                    self.fail("Unexpected scalar at node end", self.at, self.width())
                return items

    def _mapping(self, column: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while True:
            start = self.at
            name = self._key(column)
            if name in members:
                self.fail("Map keys must be unique", start)
            self.at += 1  # the colon
            members[name] = self._member(column)
            following = self.next_line()
            if following is None or following < column:
                return javascript.members(members)
            self.at = self.line_start() + following
            if following > column:
                self.fail("All mapping items must start at the same column", self.line_start())
            if self.is_item():
                self.fail("Implicit keys need to be on a single line", self.at)

    def _member(self, column: int) -> Any:
        """Return the value after the colon of a key at this column."""
        self.blanks()
        name, before = self._properties(), len(self.weights)
        value = self._below(column, also_items=True) if self.at_line_end() else self._value(column)
        if name is not None:
            self.anchors[name] = _Anchor(value, max(self.weights[before:], default=1))
        return value

    def _below(self, column: int, *, also_items: bool = False) -> Any:
        """Return the node on the lines below a node at this column, or None."""
        self.end_line()
        inner = self.next_line()
        if inner is None:
            return None
        self.at = self.line_start() + inner
        if inner > column or (also_items and inner == column and self.is_item()):
            return self._node(inner, column)
        return None

    def _key(self, column: int) -> str:
        length = self.key_length()
        if length is None:
            self.fail("Implicit map keys need to be followed by map values", self.at, self.rest_of_line())
        if self.text[self.at] in "\"'":
            return str(self._quoted())
        written = self.text[self.at : self.at + length].rstrip(" \t")
        self.at += length
        return _member_name(resolved(written))

    # Values

    def _value(self, parent: int) -> Any:
        """Return the scalar or flow collection that starts here."""
        name, before = self._properties(), len(self.weights)
        first = self.text[self.at : self.at + 1]
        if first in ("|", ">"):
            value: Any = self._block_scalar(parent)
        elif first == "*":
            value = self._alias()
            self.finish()
        elif first == "-" and parent >= 0 and self.is_item() and not self.begins_line():
            self.fail("Unexpected block-seq-ind on same line with key", self.at)
        elif first and first in "[{":
            value = self._flow(parent)
            self.finish()
        elif first and first in "\"'":
            value = self._quoted()
            self.finish()
        else:
            value = self._plain(parent)
        if name is not None:
            self.anchors[name] = _Anchor(value, max(self.weights[before:], default=1))
        return value

    def _plain(self, parent: int) -> Any:
        start = self.at
        first = self.text[start : start + 1]
        if first and first in "@`":
            self.fail(f"Plain value cannot start with reserved character {first}", start)
        if first and first in "]}":
            self.fail(f'Unexpected flow-{"seq" if first == "]" else "map"}-end token in YAML stream: "{first}"', start)
        if first == "?" and parent >= 0 and self.text[start + 1 : start + 2] in (" ", "\t"):
            self.fail("Nested mappings are not allowed in compact mappings", start)
        if first == "%":
            self.fail("Plain value cannot start with directive indicator character %", start)
        if first == ",":
            self.fail("Plain value cannot start with flow indicator character ,", start)
        lines: list[str] = []
        while True:
            line = self.text[self.at : self.line_end()]
            commented = COMMENT.search(line)
            shown = (line[: commented.start()] if commented else line).strip(" \t")
            if KEY_END.search(shown):
                in_key = "Nested mappings are not allowed in compact mappings"
                self.fail(in_key if parent >= 0 else "Implicit keys need to be on a single line", start)
            lines.append(shown)
            self.end_line()
            if commented or not self._continues(parent):
                break
            while not (line := self.text[self.at : self.line_end()]).strip(" \t"):
                lines.append("")
                self.at = self.line_end() + 1
            self.at += len(line) - len(line.lstrip(" \t"))
        return resolved(joined(lines))

    def _continues(self, parent: int) -> bool:
        """Return whether a plain scalar continues in the next line that is not empty."""
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
        end = quoted_end(self.text, start)
        if end is None:
            self.fail(f"Missing closing {quote}quote", len(self.text))
        self.at = end
        inner = self.text[start + 1 : end - 1]
        if quote == "'":
            return joined([trimmed(part, i, inner) for i, part in enumerate(inner.split("\n"))]).replace("''", "'")
        return unquoted_double(inner)

    def _block_scalar(self, parent: int) -> str:
        header = self.text[self.at : self.line_end()]
        match = re.match(r"([|>])([+-]?)([1-9]?)([+-]?)(?:[ \t]+(?:#.*)?|$)", header)
        if match is None:
            self.fail(f"Block scalar header includes extra characters: {header.split()[0]}", self.at + 1)
        if match.end() < len(header):
            self.fail(f"Not a YAML token: {header[match.end() :]}", self.at + match.end(), len(header) - match.end())
        style, chomp, digit = match[1], match[2] or match[4], match[3]
        self.end_line()
        lines: list[str] = []
        indent = max(parent, 0) + int(digit) if digit else None
        while self.at < len(self.text):
            line = self.text[self.at : self.line_end()]
            spaces = len(line) - len(line.lstrip(" "))
            if line.strip(" "):
                if spaces <= parent or (indent is not None and spaces < indent):
                    break
                indent = spaces if indent is None else indent
            lines.append(line)
            self.at = min(self.line_end() + 1, len(self.text))
        return block_text([line[indent or 0 :] for line in lines], style, chomp)

    def _flow(self, parent: int) -> Any:
        """Return a flow collection, `[…]` or `{…}`."""
        self.depth += 1
        opening = self.text[self.at]
        closing = "]" if opening == "[" else "}"
        items: list[Any] = []
        members: dict[str, Any] = {}
        self.at += 1
        while True:
            self.flow_space()
            ended = (
                self.at >= len(self.text) or self.text[self.at] in "]}".replace(closing, "") or self.depth > _DEEPEST
            )
            if ended or (self.begins_line() and self.at - self.line_start() <= parent):
                kind = "map" if opening == "{" else "sequence"
                what = f"Flow {kind} in block collection must be sufficiently indented and end with a {closing}"
                self.fail(what if parent >= 0 else f"Expected flow {kind} to end with {closing}", self.at)
            if self.text[self.at] == closing:
                break
            if self.text[self.at] == ",":
                self.fail(f"Unexpected , in flow {'map' if opening == '{' else 'sequence'}", self.at)
            key, value, is_pair = self._flow_item(parent)
            if opening == "{":
                members[_member_name(key)] = value
            else:
                items.append({_member_name(key): value} if is_pair else key)
            self.flow_space()
            if self.text[self.at : self.at + 1] == ",":
                self.at += 1
            elif self.at < len(self.text) and self.text[self.at] not in "]}":
                self.fail("Missing , between flow collection items", self.at)
        self.at += 1
        self.depth -= 1
        return items if opening == "[" else javascript.members(members)

    def _flow_item(self, parent: int) -> tuple[Any, Any, bool]:
        quoted = self.text[self.at] in "\"'"
        key = self._flow_value(parent)
        self.flow_space()
        if self.text[self.at : self.at + 1] == ":" and (
            quoted or self.text[self.at + 1 : self.at + 2] in (*" \t\n,]}", "")
        ):
            self.at += 1
            self.flow_space()
            if self.text[self.at : self.at + 1] in (",", "]", "}"):
                return key, None, True
            return key, self._flow_value(parent), True
        return key, None, False

    def _flow_value(self, parent: int) -> Any:
        name, before = self._properties(), len(self.weights)
        first = self.text[self.at : self.at + 1]
        if first == "*":
            value = self._alias()
        elif first and first in "[{":
            value = self._flow(parent)
        elif first and first in "\"'":
            value = self._quoted()
        else:
            match = re.compile(r"(?:[^\n,\[\]{}:#]|:(?![ \t\n,\[\]{}]|$)|(?<![ \t\n])#|\n)*").match(self.text, self.at)
            assert match is not None
            self._flow_lines(match, parent)
            self.at = match.end()
            value = resolved(joined([line.strip(" \t") for line in match[0].strip(" \t\n").split("\n")]))
        if name is not None:
            self.anchors[name] = _Anchor(value, max(self.weights[before:], default=1))
        return value

    def _flow_lines(self, plain: re.Match[str], parent: int) -> None:
        """Reject a plain scalar in a flow collection with an insufficiently indented line."""
        for line in re.finditer(r"\n( *)(?=[^ \n])", plain[0]):
            if len(line[1]) <= parent:
                what = "Flow sequence in block collection must be sufficiently indented and end with a ]"
                self.fail(what, plain.start() + line.start() + 1)

    def _alias(self) -> Any:
        match = re.compile(r"\*([^ \t\n,\[\]{}]*)").match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        if match[1] not in self.anchors:
            raise YamlError(f"Unresolved alias (the anchor must be set before the alias): {match[1]}")
        anchor = self.anchors[match[1]]
        anchor.uses += 1
        self.weights.append(anchor.uses * anchor.weight)
        if self.weights[-1] > _MOST_ALIASES:
            raise YamlError("Excessive alias count indicates a resource exhaustion attack")
        return anchor.value

    def _properties(self) -> str | None:
        """Return the name of the anchor, if there is one, and skip tags."""
        name = None
        while match := _PROPERTY.match(self.text, self.at):
            name = match[0][1:] if match[0][0] == "&" else name
            self.at = match.end()
            self.blanks()
        return name


def _member_name(value: Any) -> str:
    """Return the member name for a key with this value."""
    return "" if value is None else javascript.text(value)
