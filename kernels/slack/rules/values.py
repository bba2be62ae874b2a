"""Arguments as the servers read them; neither validates them against the schema.

The reference server uses only JavaScript's truthiness and conversions. The korotovsky server (Go, mcp-go) treats a
value of the wrong type as a missing string, and also reads numbers and booleans from strings.
"""

from __future__ import annotations

import math
import re
from typing import Any

from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.types import Arguments

INT64_MIN = -(2**63)
_GO_TRUE = {"1", "t", "T", "TRUE", "true", "True"}
_GO_FALSE = {"0", "f", "F", "FALSE", "false", "False"}
_ESCAPES = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", '"': '\\"', "\\": "\\\\",
}  # fmt: skip


def required_arguments(arguments: Arguments, *names: str) -> tuple[str, ...]:
    """Return the reference server's required arguments as strings.

    Raises:
        Refusal: One is missing or falsy; the message names all of them.
    """
    if not all(js_truthy(arguments.get(name)) for name in names):
        noun = "argument" if len(names) == 1 else "arguments"
        raise Refusal(f"Missing required {noun}: {_enumerated(names)}")
    return tuple(js_text(arguments[name]) for name in names)


def js_truthy(value: Any) -> bool:
    """Return JavaScript's truthiness: empty arrays and objects are true."""
    return isinstance(value, list | dict) or bool(value)


def js_text(value: Any) -> str:
    """Return String(value) for a JSON value."""
    match value:
        case str():
            return value
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e21:
            return str(int(value))
        case list():
            return ",".join("" if item is None else js_text(item) for item in value)
        case dict():
            return "[object Object]"
        case _:
            return str(value)


def js_number(value: Any) -> float:
    """Return Number(value) for a JSON value, which may be NaN."""
    if value is None or isinstance(value, bool | int | float):
        return float(value or 0)
    text = js_text(value).strip()
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII):
        return math.nan if text else 0.0
    return float(text)


def go_text(arguments: Arguments, name: str, default: str = "") -> str:
    """Return a string argument as mcp-go does."""
    value = arguments.get(name)
    return value if isinstance(value, str) else default


def go_integer(arguments: Arguments, name: str, default: int) -> int:
    """Return an integer argument as mcp-go does."""
    value = arguments.get(name)
    if isinstance(value, str):
        parsed = go_atoi(value)
        return default if parsed is None else parsed
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return int(value) if INT64_MIN <= value < -INT64_MIN else INT64_MIN


def go_flag(arguments: Arguments, name: str, default: bool) -> bool:
    """Return a boolean argument as mcp-go does."""
    value = arguments.get(name)
    if isinstance(value, str):
        return True if value in _GO_TRUE else False if value in _GO_FALSE else default
    return bool(value) if isinstance(value, bool | int | float) else default


def go_atoi(text: str) -> int | None:
    """Return strconv.Atoi of a text, or None if it fails."""
    if not re.fullmatch(r"[+-]?\d{1,30}", text, re.ASCII):
        return None
    number = int(text)
    return number if INT64_MIN <= number < -INT64_MIN else None


def go_quote(text: str) -> str:
    """Quote a text as Go's %q does."""
    return '"' + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _go_escape(c)) for c in text) + '"'


def comma_separated(text: str) -> list[str]:
    """Return the parts of a comma-separated text without empty ones."""
    return [part for part in (piece.strip() for piece in text.split(",")) if part]


def _go_escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _enumerated(names: tuple[str, ...]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"
