"""A YAML text with a read position: line boundaries, lookahead, and error messages."""

from __future__ import annotations

import re
from typing import NoReturn

_SHOWN = 80  # columns of the line that an error shows
COMMENT = re.compile(r"(?<=[ \t])#[^\n]*")
KEY_END = re.compile(r":(?=[ \t\n]|$)")
_SPACE = re.compile(r"(?:[ \t\n]|(?<=[ \t\n])#[^\n]*)*+")
_TO_COLON = re.compile(r"[ \t]*(?=:(?:[ \t\n]|$))")
_QUOTED = {'"': re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL), "'": re.compile(r"'(?:[^']|'')*+'", re.DOTALL)}


class YamlError(Exception):
    """The text is not valid YAML. The message is the library's, with line, column and an excerpt."""


class Source:
    """The text and the current position `at`."""

    def __init__(self, text: str) -> None:
        """Start at the beginning of a text."""
        self.text = text
        self.at = 0

    def key_length(self) -> int | None:
        """Return the length of the key that starts here, or None."""
        if self.text[self.at] in "\"'":
            closed = quoted_end(self.text, self.at)
            end = closed and _TO_COLON.match(self.text, closed)
            if not end or "\n" in self.text[self.at : end.end()]:
                return None
            return end.end() - self.at
        if self.text[self.at] in "[{|>":
            return None
        line = self.text[self.at : self.line_end()]
        result, comment = KEY_END.search(line), COMMENT.search(line)
        if result is None or (comment is not None and comment.start() < result.start()):
            return None
        return result.start()

    def next_line(self) -> int | None:
        """Move to the next line with content; return its column, or None at the end."""
        while self.at < len(self.text):
            start = self.line_start()
            line = self.text[start : self.line_end()]
            content = line.lstrip(" ")
            if content.strip(" \t") and not content.lstrip(" \t").startswith("#"):
                if content.startswith("\t"):
                    self.fail("Tabs are not allowed as indentation", start + len(line) - len(content))
                self.at = start
                return len(line) - len(content)
            self.at = self.line_end() + 1
        return None

    def inline_column(self) -> int | None:
        """Return the column of an item that starts on the same line as its dash, or None."""
        self.blanks()
        if self.at_line_end():
            return None
        return self.at - self.line_start()

    def finish(self) -> None:
        """Check that only a comment follows a complete value."""
        here = self.at
        self.blanks()
        rest = self.text[self.at : self.line_end()]
        if rest and not (rest.startswith("#") and self.at > here):
            kind = {"'": "single-quoted-scalar", '"': "double-quoted-scalar"}.get(rest[0], "scalar")
            self.fail(f"Unexpected {kind} at node end", self.at, len(rest))
        self.end_line()

    def flow_space(self) -> None:
        """Skip whitespace and comments."""
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def blanks(self) -> None:
        """Skip spaces and tabs."""
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1

    def at_line_end(self) -> bool:
        """Return whether only a comment is left on the line."""
        return self.at >= self.line_end() or self.text[self.at] == "#"

    def end_line(self) -> None:
        """Move to the next line."""
        self.at = min(self.line_end() + 1, len(self.text))

    def is_item(self) -> bool:
        """Return whether a list item starts here."""
        return self.text[self.at] == "-" and self.text[self.at + 1 : self.at + 2] in (" ", "\t", "\n", "")

    def begins_line(self) -> bool:
        """Return whether only spaces precede this position on its line."""
        return not self.text[self.line_start() : self.at].strip(" ")

    def width(self) -> int:
        """Return how much of a misplaced line an error marks: one character of a key, otherwise the rest of the line."""
        return 1 if self.key_length() is not None else self.rest_of_line()

    def rest_of_line(self) -> int:
        """Return the length of the rest of the line without its comment."""
        line = self.text[self.at : self.line_end()]
        return len(COMMENT.sub("", line).rstrip(" \t"))

    def line_start(self) -> int:
        """Return the start of the line."""
        return self.text.rfind("\n", 0, self.at) + 1

    def line_end(self) -> int:
        """Return the end of the line."""
        end = self.text.find("\n", self.at)
        return len(self.text) if end < 0 else end

    def content(self) -> int:
        """Return the start of the line's content."""
        line = self.text[self.line_start() : self.line_end()]
        return self.line_start() + len(line) - len(line.lstrip(" "))

    def fail(self, problem: str, at: int, width: int = 1) -> NoReturn:
        """Raise an error that marks `width` characters at a position."""
        raise YamlError(with_position(self.text, problem, at, width))


def with_position(text: str, problem: str, at: int, width: int) -> str:
    """Return a problem with its position and an excerpt that marks it."""
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
    message = f"{problem} at line {line}, column {column + 1}"
    if not (above + shown).strip(" "):
        return message
    pointer = " " * column_shown + "^" * max(1, min(width, _SHOWN - column_shown))
    return f"{message}:\n\n{above}{shown}\n{pointer}\n"


def quoted_end(text: str, start: int) -> int | None:
    """Return the end of the quoted scalar that starts at `start`, or None if it is not closed."""
    match = _QUOTED[text[start]].match(text, start)
    return match.end() if match else None
