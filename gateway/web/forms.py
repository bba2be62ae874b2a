"""Forms from tool schemas, and arguments from submitted forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from soundstage import bounded_input
from soundstage.bounded_input import Refused
from soundstage.gateway.sessions.problems import BadRequest
from soundstage.servers.tool import Tool

Kind = Literal["text", "long", "number", "flag", "choice", "json", "group"]
_DEEPEST = 4
_LONG = ("text", "content", "description", "body", "markdown", "message")


@dataclass(slots=True)
class Field:
    """One input. `name` is derived from the path; a group contains the fields of an object."""

    name: str
    label: str
    kind: Kind
    required: bool = False
    help: str = ""
    choices: list[str] = field(default_factory=list)
    value: str = ""
    fields: list[Field] = field(default_factory=list)

    @property
    def filled(self) -> bool:
        """Whether it, or a field in it, has a value."""
        return bool(self.value) or any(f.filled for f in self.fields)


def form_of(tool: Tool, values: Mapping[str, Any] | None) -> list[Field]:
    """Return the inputs for a tool's arguments, filled with those of an earlier call."""
    fields = _fields(tool.input_schema, (), values or {}, 0)
    _explain(fields, tool.parameters, "")
    return fields


def arguments_of(schema: Mapping[str, Any], form: Mapping[str, str]) -> dict[str, Any]:
    """Convert a submitted form to arguments. An empty input means an omitted argument.

    Raises:
        BadRequest: an input is invalid; the message names it.
    """
    arguments: dict[str, Any] = {}
    _collect(_fields(schema, (), {}, 0), form, arguments)
    return arguments


def read_json(text: str, label: str) -> Any:
    """Parse JSON from an input.

    Raises:
        BadRequest: it is invalid; the message names the input.
    """
    try:
        return bounded_input.read_json(text)
    except Refused as refused:
        raise BadRequest(f"{label}: this {refused}") from None


def _explain(fields: list[Field], parameters: Mapping[str, str], above: str) -> None:
    """Add the descriptions of arguments from the tool's description to the inputs."""
    for one in fields:
        path = f"{above}{one.label}"
        one.help = parameters.get(path, one.help)
        _explain(one.fields, parameters, f"{path}.")


def _fields(schema: Mapping[str, Any], path: tuple[str, ...], values: object, depth: int) -> list[Field]:
    required = schema.get("required") or []
    given: Mapping[str, Any] = values if isinstance(values, dict) else {}
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return []
    return [
        _field(
            inner if isinstance(inner, dict) else {},
            (*path, name),
            name in required,
            name in given,
            given.get(name),
            depth,
        )
        for name, inner in properties.items()
    ]


def _field(
    schema: Mapping[str, Any], path: tuple[str, ...], required: bool, given: bool, value: object, depth: int
) -> Field:
    kind = _kind(schema, path, depth)
    made = Field(
        name="arg:" + "/".join(p.replace("~", "~0").replace("/", "~1") for p in path),
        label=path[-1],
        kind=kind,
        required=required,
        help=str(schema.get("description", "")),
    )
    if kind == "group":
        made.fields = _fields(schema, path, value, depth + 1)
        return made
    if kind == "choice":
        made.choices = [str(c) for c in schema["enum"]]
    if given:
        made.value = (
            value if isinstance(value, str) and kind in ("text", "long", "choice") else orjson.dumps(value).decode()
        )
    return made


def _kind(schema: Mapping[str, Any], path: tuple[str, ...], depth: int) -> Kind:
    enum = schema.get("enum")
    if isinstance(enum, list) and all(isinstance(c, str) for c in enum):
        return "choice"
    match schema.get("type"):
        case "string":
            return "long" if path[-1].lower() in _LONG else "text"
        case "number" | "integer":
            return "number"
        case "boolean":
            return "flag"
        case "object" if schema.get("properties") and depth < _DEEPEST:
            return "group"
        case _:
            return "json"


def _collect(fields: list[Field], form: Mapping[str, str], into: dict[str, Any]) -> None:
    for one in fields:
        if one.kind == "group":
            inner: dict[str, Any] = {}
            _collect(one.fields, form, inner)
            if inner or one.required:
                into[one.label] = inner
            continue
        text = form.get(one.name, "")
        if text == "":
            continue
        if one.kind in ("text", "choice"):
            into[one.label] = text
        elif one.kind == "long":
            into[one.label] = text.replace("\r\n", "\n")  # browsers send CRLF
        else:
            into[one.label] = read_json(text, one.label)
