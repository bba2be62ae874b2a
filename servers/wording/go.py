"""Argument validation in the words of google/jsonschema-go, which servers with the official Go SDK use.

Validation stops at the first violation: wrong types, then unexpected properties, then missing ones. Go visits properties in
random order; here it is the schema's order, and the call's for unexpected ones. Sources: recorded rejections of a real server
with go-sdk v1.4.0, and https://github.com/google/jsonschema-go (v0.4.2, validate.go).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from soundstage.kernels.engines.gotext import quote
from soundstage.kernels.types import Arguments
from soundstage.servers.reply import ProtocolFailure
from soundstage.servers.tool import Tool
from soundstage.servers.wording import INVALID_PARAMS, InvalidArguments

_INT64 = 2**63


def invalid_arguments(error: InvalidArguments) -> ProtocolFailure:
    """Return the SDK's JSON-RPC error for invalid arguments."""
    return ProtocolFailure(INVALID_PARAMS, f"invalid params: {error.message}", error.kind)


def unknown_tool(name: str) -> ProtocolFailure:
    """Return the SDK's JSON-RPC error for an unknown tool."""
    return ProtocolFailure(INVALID_PARAMS, f"unknown tool {quote(name)}", "unknown_tool")


def check(tool: Tool, arguments: Arguments | None, go_type: str = "") -> Arguments:
    """Return the arguments as Go decodes them into the handler's struct `go_type`, with integers as int; {} for none.

    Raises:
        InvalidArguments: The first violation.
    """
    arguments = arguments or {}
    if (problem := _violation(tool.input_schema, arguments, "root")) is not None:
        raise InvalidArguments(f'validating "arguments": {problem}')
    properties = tool.input_schema.get("properties", {})
    return {
        name: _int(value, f"{go_type}.{name}") if properties.get(name, {}).get("type") == "integer" else value
        for name, value in arguments.items()
    }


def _violation(schema: dict[str, Any], value: Any, path: str) -> str | None:
    problem = _type_problem(schema.get("type"), value)
    if problem is None and isinstance(value, list):
        items = schema.get("items", {})
        problem = next((p for item in value if (p := _violation(items, item, f"{_pointer(path)}/items"))), None)
    elif problem is None and isinstance(value, dict):
        problem = _object_problem(schema, value, path)
    return None if problem is None else f"validating {path}: {problem}"


def _type_problem(wanted: str | list[str] | None, value: Any) -> str | None:
    got = _type_name(value)
    allowed = [wanted] if isinstance(wanted, str) else wanted
    if allowed is None or got in allowed or (got == "integer" and "number" in allowed):
        return None
    shown = "<invalid reflect.Value>" if value is None else go_value(value)
    want = f'want "{wanted}"' if isinstance(wanted, str) else f'want one of "{", ".join(allowed)}"'
    return f'type: {shown} has type "{got}", {want}'


def _object_problem(schema: dict[str, Any], value: dict[str, Any], path: str) -> str | None:
    properties = schema.get("properties", {})
    for name, inner in properties.items():
        if name in value and (problem := _violation(inner, value[name], f"{_pointer(path)}/properties/{name}")):
            return problem
    unexpected = [name for name in value if name not in properties]
    if unexpected and schema.get("additionalProperties") is False:
        return f"unexpected additional properties {_quoted(unexpected)}"
    if missing := [name for name in schema.get("required", ()) if name not in value]:
        return f"required: missing properties: {_quoted(missing)}"
    return None


def _pointer(path: str) -> str:
    return "" if path == "root" else path


def _quoted(names: list[str]) -> str:
    return "[" + " ".join(quote(name) for name in names) + "]"


def _type_name(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "integer" if float(value).is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def go_value(value: Any) -> str:
    """Return what `%v` prints for a decoded JSON value: all numbers are float64, maps are sorted by key."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _go_float(float(value))
        case list():
            return "[" + " ".join(go_value(item) for item in value) + "]"
        case dict():
            return "map[" + " ".join(f"{k}:{go_value(value[k])}" for k in sorted(value)) + "]"
        case _:
            return str(value)


def _go_float(value: float, exponent_from: int = 6) -> str:
    """Return the shortest decimal that reads back the same; %v uses an exponent from 1e6 on, encoding/json from 1e21."""
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    written = "".join(map(str, digits))
    power = len(digits) + exponent - 1
    lead = "-" if sign else ""
    if value and not -4 <= power < exponent_from:
        fraction = f".{written[1:]}" if len(written) > 1 else ""
        return f"{lead}{written[0]}{fraction}e{'-' if power < 0 else '+'}{abs(power):02d}"
    return lead + format(abs(Decimal(repr(value))).normalize(), "f")


def _int(value: int | float, field: str) -> int:
    """Convert a number like Go, through float64 and JSON into an int."""
    number = int(float(value))
    if -_INT64 <= number < _INT64:
        return number
    written = _go_float(float(value), exponent_from=21)
    got = f'"{written}"' if "e" in written else f"number {written} overflows"
    raise InvalidArguments(f"json: cannot unmarshal {got} into Go struct field {field} of type int")
