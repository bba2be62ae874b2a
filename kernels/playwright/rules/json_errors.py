"""V8's messages (Node 20) for invalid JSON, at the first invalid position."""

from __future__ import annotations

import re

from soundstage.kernels.engines.javascript import utf16_length

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_SHOWN = 10


class _Wrong(Exception):
    """The position at which a text stops being JSON, and V8's message."""

    def __init__(self, at: int, words: str | None = None) -> None:
        super().__init__(at)
        self.at = at
        self.words = words


def parse_problem(text: str) -> str | None:
    """Return the message of `JSON.parse`, or None for valid JSON."""
    try:
        end = _blanks(text, _value(text, _blanks(text, 0)))
        if end < len(text):
            raise _Wrong(end, "Unexpected non-whitespace character after JSON")
    except _Wrong as wrong:
        return _message(text, wrong)
    except RecursionError:
        return "Maximum call stack size exceeded"
    return None


def _message(text: str, wrong: _Wrong) -> str:
    place = utf16_length(text[: wrong.at])
    if wrong.at >= len(text):
        if wrong.words in ("Unterminated string",):
            return f"{wrong.words} in JSON at position {place}"
        if wrong.words is not None:
            return f"{wrong.words} in JSON at position {place}"
        return "Unexpected end of JSON input"
    if wrong.words is not None:
        return (
            f"{wrong.words} at position {place}"
            if "after JSON" in wrong.words
            else f"{wrong.words} in JSON at position {place}"
        )
    token = text[wrong.at]
    start, end = max(wrong.at - _SHOWN, 0), wrong.at + _SHOWN
    shown = text[start:end] if len(text) > 2 * _SHOWN else text
    before, after = ("..." if shown != text and start > 0 else ""), ("..." if shown != text and end < len(text) else "")
    return f"Unexpected token '{token}', {before}\"{shown}\"{after} is not valid JSON"


def _blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\n\r":
        at += 1
    return at


def _value(text: str, at: int) -> int:
    if at >= len(text):
        raise _Wrong(at)
    first = text[at]
    if first == "{":
        return _object(text, at)
    if first == "[":
        return _array(text, at)
    if first == '"':
        return _string(text, at)
    for word in ("true", "false", "null"):
        if first == word[0]:
            for i, c in enumerate(word):
                if text[at + i : at + i + 1] != c:
                    raise _Wrong(at + i)
            return at + len(word)
    if first == "-" or first.isdigit():
        match = _NUMBER.match(text, at)
        if match is None:
            raise _Wrong(at + 1, "No number after minus sign")
        return match.end()
    raise _Wrong(at)


def _object(text: str, at: int) -> int:
    at = _blanks(text, at + 1)
    if text[at : at + 1] == "}":
        return at + 1
    first = True
    while True:
        if text[at : at + 1] != '"':
            raise _Wrong(at, "Expected property name or '}'" if first else "Expected double-quoted property name")
        at = _blanks(text, _string(text, at))
        if text[at : at + 1] != ":":
            raise _Wrong(at, "Expected ':' after property name")
        at = _blanks(text, _value(text, _blanks(text, at + 1)))
        if text[at : at + 1] == "}":
            return at + 1
        if text[at : at + 1] != ",":
            raise _Wrong(at, "Expected ',' or '}' after property value")
        at, first = _blanks(text, at + 1), False


def _array(text: str, at: int) -> int:
    at = _blanks(text, at + 1)
    if text[at : at + 1] == "]":
        return at + 1
    while True:
        at = _blanks(text, _value(text, at))
        if text[at : at + 1] == "]":
            return at + 1
        if text[at : at + 1] != ",":
            raise _Wrong(at, "Expected ',' or ']' after array element")
        at = _blanks(text, at + 1)


def _string(text: str, at: int) -> int:
    at += 1
    while at < len(text):
        c = text[at]
        if c == '"':
            return at + 1
        if c == "\\":
            escape = text[at + 1 : at + 2]
            if escape == "u":
                if re.match(r"[0-9a-fA-F]{4}", text[at + 2 : at + 6]) is None:
                    raise _Wrong(at + 2, "Bad Unicode escape")
                at += 6
                continue
            if escape not in tuple('"\\/bfnrt'):
                raise _Wrong(at + 1, "Bad escaped character")
            at += 2
            continue
        if c < " ":
            raise _Wrong(at, "Bad control character in string literal")
        at += 1
    raise _Wrong(len(text), "Unterminated string")
