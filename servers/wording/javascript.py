"""JSON values as a JavaScript program has them, for what TypeScript servers say of them."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import jsonschema_rs

UNDEFINED = object()
"""What is absent: a call's arguments, or a member of an object."""
MAX_SAFE = 2**53 - 1
_SPECIAL_SCHEMES = frozenset({"http", "https", "ftp", "ws", "wss"})
_NO_HOST = re.compile(r'[\x00-\x20"<>^`{|}%\[\]\x7f]')


def type_of(value: Any) -> str:
    """JavaScript's name of a value's type; `nan` for what a text is as a number that means none."""
    if value is UNDEFINED:
        return "undefined"
    if value != value:
        return "nan"
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "unknown")


def number(value: float) -> str:
    """A number as JavaScript prints it."""
    return str(parsed(value))


def remainder(value: float, divisor: float) -> Decimal | int:
    whole = isinstance(value, int) and isinstance(divisor, int)
    return int(float(value)) % int(divisor) if whole else Decimal(str(value)) % Decimal(str(divisor))


def same(wanted: Any, value: Any) -> bool:
    """JavaScript's `===` on JSON: no boolean is a number, 1.0 is 1."""
    return bool(wanted == value) and isinstance(wanted, bool) == isinstance(value, bool)


def parsed(value: Any) -> Any:
    """A value as JSON.parse gives it: one kind of number, exact up to 2^53."""
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
    """Whether a regular expression of ECMA 262, which Python's `re` does not speak, finds something."""
    return _pattern(pattern).is_valid(text)


def is_url(text: str) -> bool:
    """Whether `new URL(text)` takes it, as far as scheme, host and port go."""
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
