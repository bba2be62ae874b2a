"""The `blocks` argument of conversations_add_message as Go's encoding/json reads it.

It is JSON in a string, or the array itself.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from soundstage.kernels.slack.rules.blocks import Blocks
from soundstage.kernels.slack.rules.errors import Refusal, SlackError
from soundstage.kernels.slack.rules.values import INT64_MIN, go_quote

_MOST_DIGITS = 20  # of a 64-bit integer including its sign; Python refuses to parse thousands of digits
_MAX_DEPTH = 100  # Slack's own blocks nest six levels deep
_CONTEXTS = {
    "Invalid \\uXXXX": "in \\u hexadecimal character escape",
    "Expecting property name": "looking for beginning of object key string",
    "Expecting ':'": "after object key",
    "Extra data": "after top-level value",
    "Invalid control character": "in string literal",
    "Invalid \\": "in string escape code",
}
# Text that Go still accepts at the position where Python reports an error.
_STILL_RIGHT = {
    "Expecting value": re.compile("-?"),
    "Invalid \\uXXXX": re.compile("u[0-9A-Fa-f]{0,3}"),
    "Invalid \\escape": re.compile(r"\\"),
}
_LITERALS = {"t": "true", "f": "false", "n": "null"}
_GO_KINDS = {str: "string", bool: "bool", int: "number", float: "number", dict: "object", list: "array"}


def given_blocks(raw: Any) -> Blocks | None:
    """Return the blocks, or None if none are given; an empty list counts as none.

    Raises:
        Refusal: The JSON is invalid, with Go's message.
        SlackError: invalid_blocks, for excessive nesting.
    """
    if raw is None or raw == "":
        return None
    value = _parse(raw) if isinstance(raw, str) else raw
    if value is None or value in ({}, []):
        return None
    if not isinstance(value, list):
        _refuse(f"json: cannot unmarshal {_GO_KINDS[type(value)]} into Go value of type []json.RawMessage")
    blocks: Blocks = []
    for block in value:
        if block is not None and not isinstance(block, dict):
            _refuse(f"json: cannot unmarshal {_GO_KINDS[type(block)]} into Go value of type slack.sumtype")
        kind = (block or {}).get("type")
        if kind is not None and not isinstance(kind, str):
            _refuse(f"json: cannot unmarshal {_GO_KINDS[type(kind)]} into Go struct field sumtype.type of type string")
        blocks.append(_plain(block or {}, 0))
    return blocks


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_int=_number, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        _refuse(_go_syntax_error(text, error))
    except RecursionError:
        _refuse("exceeded max depth")


def _go_syntax_error(text: str, error: json.JSONDecodeError) -> str:
    rest = text[error.pos :]
    taken = next((p.match(rest) for python, p in _STILL_RIGHT.items() if error.msg.startswith(python)), None)
    wrong = rest[taken.end() if taken else 0 :]
    literal = _LITERALS.get(wrong[:1], "") if wrong == rest else ""
    if not wrong.rstrip(" \t\r\n") or literal.startswith(wrong) or error.msg.startswith("Unterminated string"):
        return "unexpected end of JSON input"
    place = next((go for python, go in _CONTEXTS.items() if error.msg.startswith(python)), None)
    if place is None and wrong != rest:
        place = "in numeric literal"
    if place is None and error.msg.startswith("Expecting ','"):
        place = "after object key:value pair" if _in_object(text[: error.pos]) else "after array element"
    if place is None and literal:
        wrong, expected = next((wrong[i:], right) for i, right in enumerate(literal) if wrong[i] != right)
        place = f"in literal {literal} (expecting {_go_character(expected)})"
    return f"invalid character {_go_character(wrong)} {place or 'looking for beginning of value'}"


def _go_character(character: str) -> str:
    """Quote a character as Go's scanner does: it reads bytes, so only the first one."""
    byte = chr(character.encode()[0])
    return {"'": r"'\''", '"': "'\"'"}.get(byte) or f"'{go_quote(byte)[1:-1]}'"


def _in_object(before: str) -> bool:
    """Return whether the innermost open bracket is a brace."""
    opened: list[str] = []
    for character in re.sub(r'"(?:[^"\\]|\\.)*"', "", before):
        if character in "[{":
            opened.append(character)
        elif character in "]}" and opened:
            opened.pop()
    return bool(opened) and opened[-1] == "{"


def _plain(value: Any, depth: int) -> Any:
    """Return a value that can be stored: no lone surrogates, no numbers beyond 64 bits, limited nesting."""
    if depth > _MAX_DEPTH:
        raise SlackError("invalid_blocks")
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_plain(k, depth): _plain(v, depth + 1) for k, v in value.items()}
    return [_plain(item, depth + 1) for item in value] if isinstance(value, list) else value


def _number(digits: str) -> int | float:
    fits = len(digits) <= _MOST_DIGITS and INT64_MIN <= int(digits) < -INT64_MIN
    return int(digits) if fits else float(digits)


def _no_constant(name: str) -> NoReturn:
    place = "in numeric literal" if name.startswith("-") else "looking for beginning of value"
    _refuse(f"invalid character '{name.removeprefix('-')[0]}' {place}")


def _refuse(problem: str) -> NoReturn:
    raise Refusal(f"blocks must be valid Slack Block Kit JSON: {problem}")
