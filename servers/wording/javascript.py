"""JSON values in JavaScript, for the messages of TypeScript servers."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import jsonschema_rs

UNDEFINED = object()
"""A missing value: a call's arguments, or a member of an object."""
MAX_SAFE = 2**53 - 1
_SPECIAL_SCHEMES = frozenset({"http", "https", "ftp", "ws", "wss"})
_NO_HOST = re.compile(r'[\x00-\x20"<>^`{|}%\[\]\x7f]')


def type_of(value: Any) -> str:
    """Return zod's name of a value's type in JavaScript; `nan` for a text that was coerced to NaN."""
    if value is UNDEFINED:
        return "undefined"
    if value != value:
        return "nan"
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "unknown")


def number(value: float) -> str:
    """Format a number like JavaScript."""
    return str(parsed(value))


def remainder(value: float, divisor: float) -> Decimal | int:
    """Return the remainder of a division like zod."""
    whole = isinstance(value, int) and isinstance(divisor, int)
    return int(float(value)) % int(divisor) if whole else Decimal(str(value)) % Decimal(str(divisor))


def same(wanted: Any, value: Any) -> bool:
    """Return JavaScript's `===` for JSON values: booleans are not numbers, 1.0 is 1."""
    return bool(wanted == value) and isinstance(wanted, bool) == isinstance(value, bool)


def parsed(value: Any) -> Any:
    """Return a value like JSON.parse: one type of number, exact up to 2^53."""
    if isinstance(value, dict):
        return {name: parsed(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [parsed(inner) for inner in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if -MAX_SAFE <= value <= MAX_SAFE:
        return int(value) if value == int(value) else value
    try:
        double = float(value)
    except OverflowError:
        return float("inf" if value > 0 else "-inf")
    if double in (float("inf"), float("-inf")) or double != double:
        return double
    shown = int(Decimal(repr(double)))  # the digits that JavaScript prints
    return shown if -(2**63) <= shown < 2**64 else double


def matches(pattern: str, text: str) -> bool:
    """Return whether an ECMA 262 regular expression matches, whose syntax differs from Python's `re`."""
    return _pattern(pattern).is_valid(text)


def is_url(text: str) -> bool:
    """Return whether `new URL(text)` succeeds, judged by scheme, host and port."""
    text = re.sub(r"[\t\n\r]", "", text.strip("".join(map(chr, range(0x21)))))
    scheme, colon, rest = text.partition(":")
    if not colon or not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme):
        return False
    if scheme.lower() not in _SPECIAL_SCHEMES:
        return True
    authority = re.split(r"[/\\?#]", rest.lstrip("/\\"), maxsplit=1)[0].rpartition("@")[2]
    try:
        parts = urlsplit(f"//{authority}")
        _ = parts.port
    except ValueError:
        return False
    return bool(parts.hostname) and not _NO_HOST.search(parts.hostname or "")


@cache
def _pattern(pattern: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for({"type": "string", "pattern": pattern})
