"""Small changes to hand-edited JSON: set or remove one member and preserve every other character.

Comments and trailing commas are supported (VS Code and Gemini CLI use them in their files).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_TRIVIA = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/[ \t]*)?(?=\r?\n)")
_DEEPEST = 100


class BrokenJson(ValueError):
    """The text is not valid JSON; the message names the position."""

    def __init__(self, text: str, at: int, expected: str) -> None:
        line = text.count("\n", 0, at) + 1
        column = at - text.rfind("\n", 0, at)
        super().__init__(f"line {line}, column {column}: expected {expected}")


class WrongShape(ValueError):
    """A member that should be an object has another type."""


@dataclass(slots=True)
class Member:
    """A member of an object: its key, the position of the key, and its value."""

    key: str
    start: int
    value: Node


@dataclass(slots=True)
class Node:
    """A value with its position in the text; `members` of an object, None for other types."""

    start: int
    end: int
    members: list[Member] | None = None
    items: list[Node] = field(default_factory=list)


def parse(text: str) -> Node:
    """Parse the text to a tree.

    Raises:
        BrokenJson: the text is not valid JSON.
    """
    node = _value(text, _skip(text, 0), 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise BrokenJson(text, end, "the end of the file")
    return node


def get(text: str, path: tuple[str, ...]) -> Any:
    """Return the value at a path, or None.

    Raises:
        BrokenJson: the text is not valid JSON.
    """
    node: Node | None = parse(text)
    for key in path:
        node = None if node is None or node.members is None else _member_value(node, key)
    return None if node is None else _load(text, node)


def put(text: str, path: tuple[str, ...], value: Any) -> str:
    """Return the text with the member at `path` set; missing parents are created.

    Raises:
        BrokenJson, WrongShape: the text is not valid JSON, or a parent is not an object.
    """
    node = parse(text)
    for depth, key in enumerate(path):
        if node.members is None:
            raise WrongShape(f"{'.'.join(path[:depth]) or 'the file'} is not an object")
        below = _member_value(node, key)
        if below is None:
            inner = value
            for missing in reversed(path[depth + 1 :]):
                inner = {missing: inner}
            return _insert(text, node, key, inner)
        node = below
    if _load(text, node) == value:
        return text
    if "\n" in text[node.start : node.end]:
        written = _written(text, value, _indent_at(text, node.start), _unit(text))
    else:
        written = json.dumps(value, ensure_ascii=False)
    return text[: node.start] + written + text[node.end :]


def drop(text: str, path: tuple[str, ...]) -> str:
    """Return the text without the member at `path`; unchanged if there is none.

    Raises:
        BrokenJson: the text is not valid JSON.
    """
    node = parse(text)
    for key in path[:-1]:
        below = _member_value(node, key) if node.members is not None else None
        if below is None:
            return text
        node = below
    members = node.members or []
    place = next((i for i, m in enumerate(members) if m.key == path[-1]), None)
    if place is None:
        return text
    member = members[place]
    start, end = member.start, member.value.end
    comma = _skip(text, end)
    if text[comma : comma + 1] == ",":
        end = comma + 1
    elif place:  # the last of several: remove the comma before it instead
        before = members[place - 1].value.end
        at = _skip(text, before)
        text = text[:at] + text[at + 1 :]
        start, end = start - 1, end - 1
    line = text.rfind("\n", 0, start) + 1
    if not text[line:start].strip() and (rest := re.compile(r"[ \t]*\r?\n").match(text, end)):
        return text[:line] + text[rest.end() :]
    if not place and text[comma : comma + 1] != ",":  # it was the only one
        opening = node.start + 1
        if not text[opening:start].strip() and not text[end : node.end - 1].strip():
            return text[:opening] + text[node.end - 1 :]
    return (
        text[:start].rstrip(" \t") + text[end:]
        if text[end : end + 1] in "}\r\n"
        else text[:start] + text[end:].lstrip(" ")
    )


def _insert(text: str, holder: Node, key: str, value: Any) -> str:
    unit, eol = _unit(text), _eol(text)
    outer = _indent_at(text, holder.start)
    members = holder.members or []
    name = json.dumps(key, ensure_ascii=False)
    inside = text[holder.start + 1 : holder.end - 1]
    if not members and not inside.strip():
        indent = outer + unit
        written = _written(text, value, indent, unit)
        return f"{text[: holder.start + 1]}{eol}{indent}{name}: {written}{eol}{outer}{text[holder.end - 1 :]}"
    if members and "\n" not in inside:
        at = members[-1].value.end
        return f"{text[:at]}, {name}: {json.dumps(value, ensure_ascii=False)}{text[at:]}"
    indent = _indent_at(text, members[0].start) if members else outer + unit
    entry = f"{eol}{indent}{name}: {_written(text, value, indent, unit)}"
    if not members:  # only a comment is inside
        at = len(text[: holder.end - 1].rstrip())
        return text[:at] + entry + text[at:]
    at = members[-1].value.end
    comma = _skip(text, at)
    if text[comma] == ",":  # preserve the style of a trailing comma
        at = comma + 1
        entry += ","
    else:
        text = f"{text[:at]},{text[at:]}"
        at += 1
    rest = _REST_OF_LINE.match(text, at)
    at = rest.end() if rest is not None else at
    return text[:at] + entry + text[at:]


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise BrokenJson(text, at, "less nesting")
    if text.startswith("{", at):
        return _object(text, at, depth)
    if text.startswith("[", at):
        return _array(text, at, depth)
    scalar = _SCALAR.match(text, at)
    if scalar is None:
        raise BrokenJson(text, at, "a value")
    return Node(at, scalar.end())


def _object(text: str, start: int, depth: int) -> Node:
    members: list[Member] = []
    at = _skip(text, start + 1)
    while not text.startswith("}", at):
        key = _SCALAR.match(text, at)
        if key is None or text[at] != '"':
            raise BrokenJson(text, at, "a member's name in double quotes" if members or at < len(text) else "}")
        colon = _skip(text, key.end())
        if not text.startswith(":", colon):
            raise BrokenJson(text, colon, "a colon")
        value = _value(text, _skip(text, colon + 1), depth + 1)
        members.append(Member(_string(text, at, key.group()), at, value))
        at = _next(text, value.end, "}")
    return Node(start, at + 1, members)


def _array(text: str, start: int, depth: int) -> Node:
    items: list[Node] = []
    at = _skip(text, start + 1)
    while not text.startswith("]", at):
        items.append(_value(text, at, depth + 1))
        at = _next(text, items[-1].end, "]")
    return Node(start, at + 1, None, items)


def _next(text: str, end: int, closing: str) -> int:
    at = _skip(text, end)
    if text.startswith(",", at):
        return _skip(text, at + 1)
    if not text.startswith(closing, at):
        raise BrokenJson(text, at, f"a comma or {closing}")
    return at


def _string(text: str, at: int, quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except json.JSONDecodeError:
        raise BrokenJson(text, at, "a text with valid escapes") from None


def _skip(text: str, at: int) -> int:
    trivia = _TRIVIA.match(text, at)
    return at if trivia is None else trivia.end()


def _member_value(node: Node, key: str) -> Node | None:
    """Return the last member of that name, which JSON readers use."""
    return next((m.value for m in reversed(node.members or []) if m.key == key), None)


def _load(text: str, node: Node) -> Any:
    if node.members is not None:
        return {m.key: _load(text, m.value) for m in node.members}
    if text[node.start] == "[":
        return [_load(text, item) for item in node.items]
    try:
        return json.loads(text[node.start : node.end])
    except ValueError:  # for example, a number of thousands of digits
        raise BrokenJson(text, node.start, "a value") from None


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    indented = re.search(r"\n([ \t]+)\S", text)
    return indented[1] if indented else "  "


def _eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _written(text: str, value: Any, indent: str, unit: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return f"{_eol(text)}{indent}".join(lines)
