"""The words of zod 4: its locale `en`, and the JSON form of its issues, as of 4.6; earlier versions differ in rare cases."""

from __future__ import annotations

from dataclasses import replace
from math import isinf
from typing import Any

import orjson

from soundstage.servers.wording.javascript import number, type_of
from soundstage.servers.wording.zod import Issue, Limit, Path, Schema

STRICT = True
SIZES_FIRST = False
SIZES_OF_ANYTHING = True
SAFE_NUMBERS = True
_UNITS = {"string": " characters", "array": " items"}
_FORMATS = {
    "uri": ("url", "Invalid URL"),
    "email": ("email", "Invalid email address"),
    "uuid": ("uuid", "Invalid UUID"),
    "date-time": ("datetime", "Invalid ISO datetime"),
    "date": ("date", "Invalid ISO date"),
}


def length(text: str) -> int:
    """Return the length in code points."""
    return len(text)


def missing_anything(path: Path) -> Issue | None:
    """Return the issue of a missing value of any type."""
    members = {"code": "invalid_type", "expected": "nonoptional"}
    return _issue(path, "Invalid input: expected nonoptional, received undefined", members)


def wrong_type(path: Path, expected: str, value: Any) -> Issue:
    """Return the issue of a wrong type."""
    members = {"expected": expected, "code": "invalid_type"}
    received = type_of(value)
    if isinstance(value, float) and isinf(value):
        members["received"] = received = "Infinity"
    elif received == "nan":
        members["received"] = received = "NaN"
    return _issue(path, f"Invalid input: expected {expected}, received {received}", members)


def not_whole(path: Path) -> Issue:
    """Return the issue of a fractional number."""
    members = {"expected": "int", "format": "safeint", "code": "invalid_type"}
    return replace(_issue(path, "Invalid input: expected int, received number", members), halts=True)


def out_of_bounds(path: Path, limit: Limit) -> Issue:
    """Return the issue of a violated bound."""
    small = limit.side == "minimum"
    code = "too_small" if small else "too_big"
    sign = "exactly " if limit.exact else (">" if small else "<") + ("=" if limit.inclusive else "")
    have = "have" if limit.origin in _UNITS else "be"
    amount = f"{sign}{number(limit.value)}{_UNITS.get(limit.origin, '')}"
    message = f"Too {'small' if small else 'big'}: expected {limit.origin} to {have} {amount}"
    members: dict[str, Any]
    if limit.origin == "int":
        note = "Integers must be within the safe integer range."
        members = {"code": code, limit.side: limit.value, "note": note, "origin": "int", "inclusive": True}
    else:
        members = {"origin": limit.origin, "code": code, limit.side: limit.value, "inclusive": limit.inclusive}
    if limit.exact:
        members["exact"] = True
    return _issue(path, message, members, fatal=False)


def no_multiple(path: Path, divisor: float) -> Issue:
    """Return the issue of a number that is not a multiple."""
    members = {"origin": "number", "code": "not_multiple_of", "divisor": divisor}
    return _issue(path, f"Invalid number: must be a multiple of {number(divisor)}", members, fatal=False)


def no_option(path: Path, options: list[Any], value: Any) -> Issue:
    """Return the issue of a value that is not an option of an enumeration."""
    shown = "|".join(_literal(option) for option in options)
    one = len(options) == 1
    message = f"Invalid input: expected {shown}" if one else f"Invalid option: expected one of {shown}"
    return _issue(path, message, {"code": "invalid_value", "values": options})


def no_literal(path: Path, literal: Any, value: Any) -> Issue:
    """Return the issue of a value that differs from a literal."""
    return no_option(path, [literal], value)


def no_match(path: Path, pattern: str, message: str | None) -> Issue:
    """Return the issue of a string that does not match a pattern."""
    slashed = f"/{pattern}/"
    members = {"origin": "string", "code": "invalid_format", "format": "regex", "pattern": slashed}
    return _issue(path, message or f"Invalid string: must match pattern {slashed}", members, fatal=False)


def no_format(path: Path, schema: Schema) -> Issue:
    """Return the issue of a string with an invalid format."""
    name, message = _FORMATS[schema["format"]]
    members = {"code": "invalid_format", "format": name}
    if "pattern" in schema:
        members = {"origin": "string", **members, "pattern": f"/{schema['pattern']}/"}
    return _issue(path, message, members, fatal=False)


def unrecognized(path: Path, keys: list[str]) -> Issue:
    """Return the issue of unknown keys in a strict object."""
    label = "Unrecognized key" if len(keys) == 1 else "Unrecognized keys"
    shown = ", ".join(f'"{key}"' for key in keys)
    return _issue(path, f"{label}: {shown}", {"code": "unrecognized_keys", "keys": keys}, fatal=False)


def union(path: Path, branches: list[list[Issue]]) -> list[Issue]:
    """Return the issues of the only option with a matching type, or that no option matches, with paths relative to the union."""
    near = [branch for branch in branches if not any(issue.fatal for issue in branch)]
    if len(near) == 1:
        return near[0]
    errors = [[{**i.members, "path": i.members["path"][len(path) :]} for i in branch] for branch in branches]
    return [_issue(path, "Invalid input", {"code": "invalid_union", "errors": errors})]


def _issue(path: Path, message: str, members: dict[str, Any], *, fatal: bool = True) -> Issue:
    return Issue(path, message, {**members, "path": list(path), "message": message}, fatal)


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else orjson.dumps(value).decode()
