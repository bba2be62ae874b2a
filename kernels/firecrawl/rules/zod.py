"""Validation issues of zod 3 as Firecrawl's API returns them: JSON with members in zod's order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from soundstage.kernels.engines.javascript import UNDEFINED, is_number

Issue = dict[str, Any]
Path = tuple[str | int, ...]
Check = Callable[[Any, Path], list[Issue]]
"""A function that returns the issues of a value at a path; UNDEFINED represents a missing member."""

# Codes of values with a wrong type; zod then skips the rules about the whole object.
_ABORTS = frozenset({"invalid_type", "invalid_enum_value", "invalid_union"})


def optional(check: Check) -> Check:
    """Accept a missing value."""
    return lambda value, path: [] if value is UNDEFINED else check(value, path)


def custom(message: str, *path: str | int) -> Issue:
    """Return an issue of a custom rule."""
    return {"code": "custom", "message": message, "path": list(path)}


def string(value: Any, path: Path) -> list[Issue]:
    """Check for a string."""
    return [] if isinstance(value, str) else [_wrong_type("string", value, path)]


def boolean(value: Any, path: Path) -> list[Issue]:
    """Check for a boolean."""
    return [] if isinstance(value, bool) else [_wrong_type("boolean", value, path)]


def obj(value: Any, path: Path) -> list[Issue]:
    """Check for an object."""
    return [] if isinstance(value, dict) else [_wrong_type("object", value, path)]


def number(
    *,
    least: int | None = None,
    most: int | None = None,
    above: int | None = None,
    whole: bool = False,
) -> Check:
    """Return a check for a number: `z.number()` with `int`, `positive` (`above`), `min` and `max`, in this order."""

    def check(value: Any, path: Path) -> list[Issue]:
        if not is_number(value):
            return [_wrong_type("number", value, path)]
        results: list[Issue] = []
        if whole and not float(value).is_integer():
            words = {"expected": "integer", "received": "float", "message": "Expected integer, received float"}
            results.append({"code": "invalid_type", **words, "path": list(path)})
        if above is not None and value <= above:
            results.append(_bound("too_small", above, False, f"Number must be greater than {above}", path))
        if least is not None and value < least:
            results.append(_bound("too_small", least, True, f"Number must be greater than or equal to {least}", path))
        if most is not None and value > most:
            results.append(_bound("too_big", most, True, f"Number must be less than or equal to {most}", path))
        return results

    return check


def array(check: Check) -> Check:
    """Return a check for an array."""

    def each(value: Any, path: Path) -> list[Issue]:
        if not isinstance(value, list):
            return [_wrong_type("array", value, path)]
        return [issue for i, item in enumerate(value) for issue in check(item, (*path, i))]

    return each


def one_of(*options: str) -> Check:
    """Return a check for an enumeration."""

    def check(value: Any, path: Path) -> list[Issue]:
        text = " | ".join(f"'{option}'" for option in options)
        if not isinstance(value, str):
            wrong = type_of(value)
            message = "Required" if wrong == "undefined" else f"Expected {text}, received {wrong}"
            return [
                {"expected": text, "received": wrong, "code": "invalid_type", "path": list(path), "message": message}
            ]
        if value in options:
            return []
        message = f"Invalid enum value. Expected {text}, received '{value}'"
        return [
            {
                "received": value,
                "code": "invalid_enum_value",
                "options": list(options),
                "path": list(path),
                "message": message,
            }
        ]

    return check


def members(shape: Mapping[str, Check], unknown: str | None = None) -> Check:
    """Return a check for an object; unknown members yield the message `unknown`, or are dropped without one."""

    def check(value: Any, path: Path) -> list[Issue]:
        if not isinstance(value, dict):
            return [_wrong_type("object", value, path)]
        results = [i for name, member in shape.items() for i in member(value.get(name, UNDEFINED), (*path, name))]
        if unknown is not None and (keys := [name for name in value if name not in shape]):
            results.append({"code": "unrecognized_keys", "keys": keys, "path": list(path), "message": unknown})
        return results

    return check


def refined(issues: Sequence[Issue], rules: Callable[[], list[Issue]]) -> list[Issue]:
    """Add the issues of rules about the whole object, which zod evaluates only if all types are valid."""
    return list(issues) if unread(issues) else [*issues, *rules()]


def unread(issues: Sequence[Issue]) -> bool:
    """Return whether a value has a wrong type. A fractional number has the right type and only breaks a rule."""
    return any(issue["code"] in _ABORTS and issue.get("expected") != "integer" for issue in issues)


def type_of(value: Any) -> str:
    """Return zod's name of a value's type."""
    if value is UNDEFINED:
        return "undefined"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names: dict[type, str] = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return names[type(value)]


def _wrong_type(expected: str, value: Any, path: Path) -> Issue:
    received = type_of(value)
    message = "Required" if received == "undefined" else f"Expected {expected}, received {received}"
    return {
        "code": "invalid_type",
        "expected": expected,
        "received": received,
        "path": list(path),
        "message": message,
    }


def _bound(code: str, bound: int, inclusive: bool, message: str, path: Path) -> Issue:
    name = "minimum" if code == "too_small" else "maximum"
    return {
        "code": code,
        name: bound,
        "type": "number",
        "inclusive": inclusive,
        "exact": False,
        "message": message,
        "path": list(path),
    }
