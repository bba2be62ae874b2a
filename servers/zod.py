"""Argument checks in the words of zod 4, which most TypeScript MCP servers validate with.

The walk visits properties in the order of the schema, as zod does, and reports every issue. Sources: the recorded
refusals of the real servers (SDK 1.25 and later with zod 4) and zod's own locale `en`.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs

from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments
from soundstage.servers.tool import Tool

Path = tuple[str | int, ...]
_UNDEFINED = object()
_BOUNDS = (
    ("minimum", operator.lt, "minimum", ">="),
    ("maximum", operator.gt, "maximum", "<="),
    ("exclusiveMinimum", operator.le, "minimum", ">"),
    ("exclusiveMaximum", operator.ge, "maximum", "<"),
)


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that zod objects to; `members` are what its JSON form carries besides path and message."""

    path: Path
    message: str
    members: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """The issue as zod serialises it."""
        return {**self.members, "path": list(self.path), "message": self.message}

    def dotted_path(self) -> str:
        """The path as zod's pretty text writes it: `data.records[0].fields`."""
        text = ""
        for step in self.path:
            text += f"[{step}]" if isinstance(step, int) else (f".{step}" if text else step)
        return text


class InvalidArguments(AppError):
    """The arguments break the tool's schema."""

    def __init__(self, tool: str, issues: list[Issue]) -> None:
        super().__init__("invalid_arguments", f"invalid arguments for {tool}")
        self.issues = issues


def parse(tool: Tool, arguments: Arguments, *, strip: bool) -> Arguments:
    """The arguments as zod hands them on; with `strip` without the keys that the schema does not name.

    Raises:
        InvalidArguments: with every issue, in zod's order.
    """
    if _closed_validator(tool).is_valid(arguments):
        return arguments
    if not tool.validator.is_valid(arguments) and (found := issues(tool.input_schema, arguments)):
        raise InvalidArguments(tool.name, found)
    return strip_unknown(tool.input_schema, arguments) if strip else arguments


def issues(schema: dict[str, Any], value: Any, path: Path = ()) -> list[Issue]:
    """What zod would say about `value`, checked against the JSON schema that was made from the zod type."""
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return _union(options, value, path)
    if "enum" in schema:
        return _enum(schema["enum"], value, path)
    if "const" in schema:
        return _enum([schema["const"]], value, path)
    kind = schema.get("type")
    if isinstance(kind, list):
        return _union([{**schema, "type": k} for k in kind], value, path)
    match kind:
        case "object":
            return _object(schema, value, path)
        case "array":
            return _array(schema, value, path)
        case "string":
            return _string(schema, value, path)
        case "number" | "integer":
            return _number(schema, value, path)
        case "boolean":
            return [] if isinstance(value, bool) else [_wrong_type("boolean", value, path)]
        case "null":
            return [] if value is None else [_wrong_type("null", value, path)]
        case _:
            return []


def strip_unknown(schema: dict[str, Any], value: Any) -> Any:
    """`value` without the keys that the schema does not name: what a plain zod object parses to."""
    if isinstance(value, dict) and schema.get("type") == "object":
        properties = schema.get("properties", {})
        open_ended = bool(schema.get("additionalProperties", False)) or schema.get("additionalProperties") == {}
        return {
            k: strip_unknown(properties[k], v) if k in properties else v
            for k, v in value.items()
            if k in properties or open_ended
        }
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [strip_unknown(schema["items"], item) for item in value]
    return value


@cache
def _closed_validator(tool: Tool) -> jsonschema_rs.Validator:
    """Accepts what fits the schema and has no key besides: then there is nothing to strip, in one quick look."""
    return jsonschema_rs.validator_for(_closed(tool.input_schema))


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {k: v if k in ("enum", "const", "default") else _closed(v) for k, v in schema.items()}
    if closed.get("type") == "object" and isinstance(closed.get("properties", {}), dict):
        closed.setdefault("additionalProperties", False)
    return closed


def _object(schema: dict[str, Any], value: Any, path: Path) -> list[Issue]:
    if not isinstance(value, dict):
        return [_wrong_type("record" if _is_record(schema) else "object", value, path)]
    found: list[Issue] = []
    required = schema.get("required", ())
    properties = schema.get("properties", {})
    for name, inner in properties.items():
        if name in value:
            found += issues(inner, value[name], (*path, name))
        elif name in required:
            found += issues(inner, _UNDEFINED, (*path, name))
    additional = schema.get("additionalProperties")
    unknown = [k for k in value if k not in properties]
    if additional is False and unknown:
        keys = ", ".join(f'"{k}"' for k in unknown)
        label = "Unrecognized key" if len(unknown) == 1 else "Unrecognized keys"
        found.append(Issue(path, f"{label}: {keys}", {"code": "unrecognized_keys", "keys": unknown}))
    elif isinstance(additional, dict) and additional:
        for name in unknown:
            found += issues(additional, value[name], (*path, name))
    return found


def _is_record(schema: dict[str, Any]) -> bool:
    return bool(schema.get("propertyNames")) or (
        "additionalProperties" in schema
        and schema["additionalProperties"] not in (False, {})
        and not schema.get("properties")
    )


def _array(schema: dict[str, Any], value: Any, path: Path) -> list[Issue]:
    if not isinstance(value, list):
        return [_wrong_type("array", value, path)]
    found: list[Issue] = []
    inner = schema.get("items")
    if isinstance(inner, dict):
        for i, item in enumerate(value):
            found += issues(inner, item, (*path, i))
    return found + _size("array", "items", len(value), schema.get("minItems"), schema.get("maxItems"), path)


def _string(schema: dict[str, Any], value: Any, path: Path) -> list[Issue]:
    if not isinstance(value, str):
        return [_wrong_type("string", value, path)]
    length = len(value.encode("utf-16-le")) // 2  # JavaScript counts UTF-16 units
    return _size("string", "characters", length, schema.get("minLength"), schema.get("maxLength"), path)


def _number(schema: dict[str, Any], value: Any, path: Path) -> list[Issue]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return [_wrong_type("number", value, path)]
    if schema["type"] == "integer" and isinstance(value, float) and not value.is_integer():
        members = {"expected": "int", "format": "safeint", "code": "invalid_type"}
        return [Issue(path, "Invalid input: expected int, received number", members)]
    for keyword, breaks, name, sign in _BOUNDS:
        limit = schema.get(keyword)
        if limit is not None and breaks(value, limit):
            word = "small" if name == "minimum" else "big"
            bound: dict[str, Any] = {
                "origin": "number",
                "code": f"too_{word}",
                name: limit,
                "inclusive": len(sign) == 2,
            }
            return [Issue(path, f"Too {word}: expected number to be {sign}{limit}", bound)]
    return []


def _enum(values: list[Any], value: Any, path: Path) -> list[Issue]:
    if any(value == v and type(value) is type(v) for v in values):
        return []
    members = {"code": "invalid_value", "values": values}
    shown = "|".join(f'"{v}"' if isinstance(v, str) else _literal(v) for v in values)
    message = f"Invalid input: expected {shown}" if len(values) == 1 else f"Invalid option: expected one of {shown}"
    return [Issue(path, message, members)]


def _union(options: list[dict[str, Any]], value: Any, path: Path) -> list[Issue]:
    branches = [issues(option, value, path) for option in options]
    if any(not branch for branch in branches):
        return []
    errors = [[Issue(i.path[len(path) :], i.message, i.members).as_json() for i in branch] for branch in branches]
    return [Issue(path, "Invalid input", {"code": "invalid_union", "errors": errors})]


def _size(origin: str, unit: str, size: int, minimum: int | None, maximum: int | None, path: Path) -> list[Issue]:
    if minimum is not None and size < minimum:
        members = {"origin": origin, "code": "too_small", "minimum": minimum, "inclusive": True}
        return [Issue(path, f"Too small: expected {origin} to have >={minimum} {unit}", members)]
    if maximum is not None and size > maximum:
        members = {"origin": origin, "code": "too_big", "maximum": maximum, "inclusive": True}
        return [Issue(path, f"Too big: expected {origin} to have <={maximum} {unit}", members)]
    return []


def _wrong_type(expected: str, value: Any, path: Path) -> Issue:
    message = f"Invalid input: expected {expected}, received {_type_of(value)}"
    return Issue(path, message, {"expected": expected, "code": "invalid_type"})


def _type_of(value: Any) -> str:
    if value is _UNDEFINED:
        return "undefined"
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "unknown")


def _literal(value: Any) -> str:
    return (
        {True: "true", False: "false", None: "null"}.get(value, str(value))
        if not isinstance(value, int | float) or (isinstance(value, bool))
        else str(value)
    )
