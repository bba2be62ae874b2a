"""JavaScript's coercion of unvalidated arguments."""

from __future__ import annotations

import math
import re
from typing import Any

from soundstage.kernels.engines import javascript

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|Infinity)")
_PREFIXED = re.compile(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+")
_LEADING = re.compile(r"\s*([+-]?)(\d+)")
_MOST_DIGITS = 308


def member(arguments: dict[str, Any], name: str) -> str:
    """Return an argument as a template literal prints it; a missing one is `undefined`."""
    return javascript.text(arguments[name]) if name in arguments else "undefined"


def number(value: Any) -> float:
    """Return `Number(value)` of a JSON value."""
    if value is None:
        return 0.0
    if isinstance(value, bool | int | float):
        return float(value)
    if isinstance(value, dict):
        return math.nan
    text = javascript.text(value).strip()
    if not text:
        return 0.0
    if _PREFIXED.fullmatch(text):
        return float(javascript.number(int(text, 0)))
    return float(text) if _NUMBER.fullmatch(text) else math.nan


def leading_integer(value: Any) -> int | None:
    """Return `parseInt(value)`, or None for NaN and for a number that a double cannot hold."""
    match = _LEADING.match(javascript.text(value))
    if match is None:
        return None
    sign, digits = match.groups()
    digits = digits.lstrip("0") or "0"
    return int(sign + digits) if len(digits) <= _MOST_DIGITS else None


def first(items: list[Any], count: float) -> list[Any]:
    """Return `items.slice(0, count)`."""
    return items[: _index(count, len(items))]


def last(items: list[Any], count: float) -> list[Any]:
    """Return `items.slice(-count)`, which is the whole list for 0 and NaN."""
    start = _index(-count, len(items))
    return items[start:]


def _index(value: float, size: int) -> int:
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return 0 if value < 0 else size
    whole = int(value)
    return max(size + whole, 0) if whole < 0 else min(whole, size)
