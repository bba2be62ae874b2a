"""Dialect and fault words as data: `servers/<app>/dialect.json` and `faults.json` of an app that is not trusted.

    {"format": 1, "arguments": "zod4 at_paths invalid_arguments", "json": "indented", "refusals": {"is_error": true}}

`arguments` names a family of `soundstage.servers.families`; the other members describe what surrounds a reply.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.families import Family, families
from soundstage.servers.reply import Answer, ProtocolFailure, Result, compact_json, failed, indented_json, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments
from soundstage.source import SourceError, checked, parse

FORMAT = 1
NAME_MARK = "{}"
"""The placeholder of the unknown tool's name in `unknown_tool.text`."""
JsonLayout = Literal["indented", "compact", "python", "python unicode", "python indented"]
JSON_LAYOUTS: Mapping[JsonLayout, Callable[[Any], str]] = {
    "indented": indented_json,
    "compact": compact_json,
    "python": json.dumps,
    "python unicode": lambda value: json.dumps(value, ensure_ascii=False),
    "python indented": lambda value: json.dumps(value, indent=2),
}
"""How servers lay out JSON in a text: by `JSON.stringify` with and without indent, by Python's `json`."""
M = TypeVar("M", bound=BaseModel)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Refusals(_Model):
    """How the app sends a refusal: as a JSON-RPC error with this code, or as a result with this flag."""

    code: int | None = None
    is_error: bool = True


class UnknownTool(Refusals):
    """How the app answers a tool name that it does not have; the text holds `{}` in place of the name."""

    text: Annotated[str, Field(max_length=2000)]


class DeclaredDialect(_Model):
    """The file `dialect.json` as a whole. `unknown_tool` is left out where the family's own answer is right."""

    format: Literal[1]
    arguments: str
    json_layout: Annotated[JsonLayout, Field(alias="json")] = "indented"
    refusals: Refusals = Refusals()
    unknown_tool: UnknownTool | None = None

    @field_validator("arguments")
    @classmethod
    def _is_a_family(cls, name: str) -> str:
        if name not in families():
            raise ValueError(f"{name!r} is not a family of argument checks; known: {', '.join(families())}")
        return name


class FaultText(_Model):
    """The app's answer when a fault hits a call. The text may hold `{seconds}`."""

    text: Annotated[str, Field(max_length=2000)]
    kind: ErrorKind | None = None


class DeclaredFaults(_Model):
    """The file `faults.json` as a whole: answers by kind of fault, and the tools that end an expired login."""

    format: Literal[1]
    rate_limit: FaultText | None = None
    unavailable: FaultText | None = None
    server_error: FaultText | None = None
    auth_expired: FaultText | None = None
    timeout: FaultText | None = None
    login_tools: Annotated[list[str], Field(max_length=20)] = []


class DataDialect:
    """A dialect made from data; see `Dialect` in `soundstage.servers.reply`."""

    def __init__(self, declared: DeclaredDialect) -> None:
        self._declared = declared
        self._family: Family = families()[declared.arguments]
        self._text = JSON_LAYOUTS[declared.json_layout]

    def check(self, tool: Tool, arguments: Arguments | None) -> Arguments:
        """Check arguments as the declared family does."""
        return self._family.check(tool, arguments)

    def success(self, tool: Tool, reply: Reply) -> Answer:
        """Wrap a kernel's reply: the text, or a pair of text and structured content."""
        body, structured = reply if isinstance(reply, tuple) else (reply, None)
        text = body if isinstance(body, str) else self._text(body)
        return Result([text_block(text)], ok=True, structured=structured)

    def failure(self, tool: Tool, error: AppError, context: AppContext) -> Answer:
        """Word a kernel's error."""
        if isinstance(error, InvalidArguments):
            return self._family.fails(tool, error)
        return _refused(self._declared.refusals, error.message, error.kind)

    def internal_error(self, tool: Tool, call_id: str) -> Answer:
        """Word an unexpected error of a kernel."""
        return failed(f"Internal error ({call_id})", "internal")

    def unknown_tool(self, name: str) -> Answer:
        """Word the call of an unknown tool."""
        declared = self._declared.unknown_tool
        if declared is None:
            return self._family.unknown(name)
        return _refused(declared, declared.text.replace(NAME_MARK, name), "unknown_tool")


def read_dialect(content: bytes, file: str) -> DataDialect:
    """Build a dialect from the content of its file.

    Raises:
        BrokenApp: naming the file, the place and the valid form.
    """
    return DataDialect(_read(DeclaredDialect, content, file))


def read_faults(content: bytes, file: str) -> DeclaredFaults:
    """Read the fault words of an app from the content of their file.

    Raises:
        BrokenApp: naming the file, the place and the valid form.
    """
    return _read(DeclaredFaults, content, file)


def dialect_of_module(module_file: str) -> DataDialect:
    """Read `dialect.json` next to a module: for an app that was adopted into the source tree."""
    path = Path(module_file).with_name("dialect.json")
    return read_dialect(path.read_bytes(), path.name)


def _read(model: type[M], content: bytes, file: str) -> M:
    try:
        source = parse(content, file)
        return checked(model, source.value, source)
    except SourceError as error:
        raise BrokenApp(str(error)) from None


def _refused(how: Refusals, text: str, kind: ErrorKind) -> Answer:
    if how.code is not None:
        return ProtocolFailure(how.code, text, kind)
    return failed(text, kind, is_error=how.is_error)
