"""Argument validation with pydantic, which Python servers with FastMCP use.

The signature of a tool's function is reconstructed from its schema, and the real pydantic reports its errors; only the version
in its links is the app's, for example `2.11`. There are two kinds of servers:

* `check_model`: the FastMCP of the MCP SDK builds a model of the arguments (`func_metadata`), which ignores unknown ones and
  parses JSON in strings;
* `check_call`: the package fastmcp validates the call itself, for which an unknown argument is an unexpected keyword.
"""

from __future__ import annotations

import inspect
import json
import re
from functools import cache
from types import GenericAlias
from typing import Annotated, Any, Literal, Union, cast

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, create_model

from soundstage.kernels.types import Arguments
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments

Schema = dict[str, Any]
_LINK = re.compile(r"^(    For further information visit https://errors\.pydantic\.dev/)[^/]+", re.MULTILINE)
_SCALARS: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}
_CONSTRAINTS = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "pattern": "pattern",
}
_ABSENT = object()
"""Default of optional arguments without a default; they are omitted from the kernel's arguments."""


def check_model(tool: Tool, arguments: Arguments | None, version: str, *, reads_all_text: bool = False) -> Arguments:
    """Return the arguments as the MCP SDK's FastMCP outputs them, with defaults.

    `reads_all_text`: JSON is also parsed in arguments declared as strings, as in SDKs up to 1.8.

    Raises:
        InvalidArguments: "1 validation error for <title>…".
    """
    model = _model(tool)
    read = {
        name: _read(value) if isinstance(value, str) and name in _read_names(tool, reads_all_text) else value
        for name, value in (arguments or {}).items()
    }
    try:
        parsed = model.model_validate(read)
    except ValidationError as error:
        raise InvalidArguments(_worded(error, version)) from None
    fields = model.model_fields.items()
    return _given({str(info.alias): _plain(getattr(parsed, name)) for name, info in fields})


def check_call(tool: Tool, arguments: Arguments | None, version: str, *, function: str | None = None) -> Arguments:
    """Return the arguments as the package fastmcp outputs them; `function` is the function's name if it differs from the tool's.

    Raises:
        InvalidArguments: "1 validation error for call[<function>]…".
    """
    try:
        parsed: Arguments = _call(tool, function or tool.name).validate_python(arguments or {})
    except ValidationError as error:
        raise InvalidArguments(_worded(error, version)) from None
    return _given(parsed)


def _worded(error: ValidationError, version: str) -> str:
    return _LINK.sub(rf"\g<1>{version}", str(error))


def _given(arguments: Arguments) -> Arguments:
    return {name: value for name, value in arguments.items() if value is not _ABSENT}


def _read(text: str) -> Any:
    """Parse JSON in a string unless it is a string, a number, or a boolean (which Python counts as a number)."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str | int | float) else value


@cache
def _model(tool: Tool) -> type[BaseModel]:
    schema = tool.input_schema
    return _object(schema, schema, schema.get("title", f"{tool.name}Arguments"))


@cache
def _read_names(tool: Tool, all_text: bool) -> frozenset[str]:
    """Return the arguments in which JSON is parsed: all that are not declared as plain strings."""
    return frozenset(
        name
        for name, inner in tool.input_schema.get("properties", {}).items()
        if all_text or inner.get("type") != "string" or "enum" in inner or "const" in inner
    )


@cache
def _call(tool: Tool, name: str) -> TypeAdapter[Any]:
    """Return an adapter for calling a function with the tool's arguments, which it returns."""

    def function(**arguments: Any) -> Arguments:
        return {name: _plain(value) for name, value in arguments.items()}

    schema = tool.input_schema
    # Python requires parameters with defaults last; pydantic reports them in this order too.
    fields = sorted(_fields(schema, schema).items(), key=lambda field: field[1][1] is not inspect.Parameter.empty)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(n, kind, annotation=a, default=d) for n, (a, d) in fields]
    function.__name__ = function.__qualname__ = name
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    function.__dict__["__signature__"] = inspect.Signature(parameters)
    return TypeAdapter(cast(Any, function))


def _fields(schema: Schema, root: Schema) -> dict[str, tuple[Any, Any]]:
    """Return the type and the default of each property."""
    required = schema.get("required", ())
    fields = {}
    for name, inner in schema.get("properties", {}).items():
        default = inspect.Parameter.empty if name in required else inner.get("default", _ABSENT)
        fields[name] = (_type(inner, root, name), default)
    return fields


def _object(schema: Schema, root: Schema, title: str) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for number, (name, (annotation, default)) in enumerate(_fields(schema, root).items()):
        # Aliased, because a property may have the name of a model's method.
        given = ... if default is inspect.Parameter.empty else default
        fields[f"field_{number}"] = (annotation, Field(given, alias=name))
    model: type[BaseModel] = create_model(title, **fields)
    return model


def _type(schema: Schema, root: Schema, name: str) -> Any:
    """Return the annotation from which pydantic would have generated a schema."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _type(root["$defs"][name], root, name)
    if "anyOf" in schema:
        return Union[tuple(_type(option, root, name) for option in schema["anyOf"])]  # noqa: UP007 - made at run time
    if "const" in schema:
        return Literal[schema["const"]]
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    match schema.get("type"):
        case "array":
            annotation = _made(list, _type(schema.get("items", {}), root, name))
        case "object" if "properties" in schema:
            return _object(schema, root, schema.get("title", name))
        case "object":
            values = schema.get("additionalProperties")
            inner = _type(values, root, name) if isinstance(values, dict) else Any
            annotation = _made(dict, str, inner)
        case str() as kind:
            annotation = _SCALARS[kind]
        case _:
            return Any
    constraints = {_CONSTRAINTS[keyword]: limit for keyword, limit in schema.items() if keyword in _CONSTRAINTS}
    return Annotated[annotation, Field(**constraints)] if constraints else annotation


def _made(kind: type, *inner: Any) -> Any:
    """Return `kind[inner]`, built at run time."""
    return GenericAlias(kind, inner)


def _plain(value: Any) -> Any:
    """Convert a parsed value back to JSON."""
    if isinstance(value, BaseModel):
        fields = type(value).model_fields.items()
        return _given({str(info.alias): _plain(getattr(value, name)) for name, info in fields})
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return value
