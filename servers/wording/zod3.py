"""The words of zod 3: its locale `en`, and the JSON form of its issues.

Checks of strings, lists and numbers (a size, a pattern) put the message before the path, types put it after the path.
"""

from __future__ import annotations

from typing import Any

import orjson

from soundstage.servers.wording.javascript import UNDEFINED, number, type_of
from soundstage.servers.wording.zod import Issue, Limit, Path, Schema

STRICT = False
SIZES_FIRST = True
SIZES_OF_ANYTHING = False
SAFE_NUMBERS = False
_AMOUNTS = {"minimum": "at least", "maximum": "at most"}
_COMPARISONS = {
    ("minimum", True): "greater than or equal to",
    ("minimum", False): "greater than",
    ("maximum", True): "less than or equal to",
    ("maximum", False): "less than",
}
_UNITS = {"string": "character(s)", "array": "element(s)"}
_FORMATS = {"uri": "url"}


def length(text: str) -> int:
    """Return JavaScript's length: UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def missing_anything(path: Path) -> Issue | None:
    """Return None: a missing value is valid for any type."""
    return None


def wrong_type(path: Path, expected: str, value: Any) -> Issue:
    """Return the issue of a wrong type."""
    expected, received = "object" if expected == "record" else expected, type_of(value)
    message = "Required" if value is UNDEFINED else f"Expected {expected}, received {received}"
    return _of_type(path, message, {"code": "invalid_type", "expected": expected, "received": received})


def not_whole(path: Path) -> Issue:
    """Return the issue of a fractional number."""
    members = {"code": "invalid_type", "expected": "integer", "received": "float"}
    return _of_check(path, "Expected integer, received float", members)


def out_of_bounds(path: Path, limit: Limit) -> Issue:
    """Return the issue of a violated bound."""
    code = "too_small" if limit.side == "minimum" else "too_big"
    bound = {limit.side: limit.value, "type": limit.origin, "inclusive": limit.inclusive, "exact": limit.exact}
    unit = _UNITS.get(limit.origin)
    if unit is None:
        message = f"Number must be {_COMPARISONS[limit.side, limit.inclusive]} {number(limit.value)}"
    else:
        amount = "exactly" if limit.exact else _AMOUNTS[limit.side]
        message = f"{limit.origin.capitalize()} must contain {amount} {number(limit.value)} {unit}"
    return _of_check(path, message, {"code": code, **bound})


def no_multiple(path: Path, divisor: float) -> Issue:
    """Return the issue of a number that is not a multiple."""
    members = {"code": "not_multiple_of", "multipleOf": divisor}
    return _of_check(path, f"Number must be a multiple of {number(divisor)}", members)


def no_option(path: Path, options: list[Any], value: Any) -> Issue:
    """Return the issue of a value that is not an option of an enumeration."""
    expected = " | ".join(f"'{option}'" if isinstance(option, str) else _literal(option) for option in options)
    if not isinstance(value, str):
        received = type_of(value)
        message = "Required" if value is UNDEFINED else f"Expected {expected}, received {received}"
        return _of_type(path, message, {"expected": expected, "received": received, "code": "invalid_type"})
    message = f"Invalid enum value. Expected {expected}, received '{value}'"
    return _of_type(path, message, {"received": value, "code": "invalid_enum_value", "options": options})


def no_literal(path: Path, literal: Any, value: Any) -> Issue:
    """Return the issue of a value that differs from a literal."""
    received = {} if value is UNDEFINED else {"received": value}
    members = {**received, "code": "invalid_literal", "expected": literal}
    return _of_type(path, f"Invalid literal value, expected {_literal(literal)}", members)


def no_match(path: Path, pattern: str, message: str | None) -> Issue:
    """Return the issue of a string that does not match a pattern."""
    return _of_check(path, message or "Invalid", {"validation": "regex", "code": "invalid_string"})


def no_format(path: Path, schema: Schema) -> Issue:
    """Return the issue of a string with an invalid format."""
    name = _FORMATS[schema["format"]]
    return _of_check(path, f"Invalid {name}", {"validation": name, "code": "invalid_string"})


def unrecognized(path: Path, keys: list[str]) -> Issue:
    """Return the issue of unknown keys in a strict object."""
    shown = ", ".join(f"'{key}'" for key in keys)
    message = f"Unrecognized key(s) in object: {shown}"
    members = {"code": "unrecognized_keys", "keys": keys, "path": list(path), "message": message}
    return Issue(path, message, members, fatal=False)


def union(path: Path, branches: list[list[Issue]]) -> list[Issue]:
    """Return the issues of the first option with a matching type, or that no option matches."""
    near = next((branch for branch in branches if not any(issue.fatal for issue in branch)), None)
    if near is not None:
        return near
    errors = [{"issues": [issue.members for issue in branch], "name": "ZodError"} for branch in branches]
    return [_of_type(path, "Invalid input", {"code": "invalid_union", "unionErrors": errors})]


def _of_type(path: Path, message: str, members: dict[str, Any]) -> Issue:
    return Issue(path, message, {**members, "path": list(path), "message": message})


def _of_check(path: Path, message: str, members: dict[str, Any]) -> Issue:
    return Issue(path, message, {**members, "message": message, "path": list(path)}, fatal=False)


def _literal(value: Any) -> str:
    return orjson.dumps(value).decode()
