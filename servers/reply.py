"""MCP replies of apps, and the interface of dialects, which word them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import orjson

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.tool import Tool

_HTML_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})

Block = dict[str, Any]
"""An MCP content block as it is sent, such as {"type": "text", "text": …}."""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result.

    `ok` is true if the app did what the caller requested. `is_error` is MCP's flag (None: omitted), which real servers often
    leave false on failures.
    """

    content: list[Block]
    ok: bool
    is_error: bool | None = None
    structured: dict[str, Any] | None = None
    error_kind: ErrorKind | None = None

    def wire(self) -> dict[str, Any]:
        """Return the result as MCP clients receive it and the journal stores it."""
        wire: dict[str, Any] = {"content": self.content}
        if self.structured is not None:
            wire["structuredContent"] = self.structured
        if self.is_error is not None:
            wire["isError"] = self.is_error
        return wire


@dataclass(frozen=True, slots=True)
class ProtocolFailure:
    """A failure that the real server reports as a JSON-RPC error instead of a tool result."""

    code: int
    message: str
    error_kind: ErrorKind
    data: Any = None
    ok: bool = False
    is_error: bool | None = None

    def wire(self) -> dict[str, Any]:
        """Return the JSON-RPC error object."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return {"error": error}


Answer = Result | ProtocolFailure


class Dialect(Protocol):
    """The wording of an app; `servers/<app>/dialect.py` is a module with these functions."""

    def check(self, tool: Tool, arguments: Arguments | None) -> Arguments:
        """Return the arguments as the kernel receives them; None means that the call has none at all.

        Raises:
            AppError: The arguments are invalid (kind `invalid_arguments`); `failure` words the reply.
        """

    def success(self, tool: Tool, reply: Reply) -> Answer:
        """Return a kernel's result in the app's format."""

    def failure(self, tool: Tool, error: AppError, context: AppContext) -> Answer:
        """Return the app's reply to a rejected call.

        Errors that are not the app's own, such as faults with a general wording, are formatted with their message.
        """

    def internal_error(self, tool: Tool, call_id: str) -> Answer:
        """Return the app's reply after a crash; `call_id` identifies the log entry."""

    def unknown_tool(self, name: str) -> Answer:
        """Return the real server's reply to an unknown tool name."""


@runtime_checkable
class StateDialect(Dialect, Protocol):
    """The dialect of an app whose state selects one of several server generations with different checks."""

    def check_in(self, context: AppContext, tool: Tool, arguments: Arguments | None) -> Arguments:
        """Validate the arguments, as `check` does for other dialects."""


def text_block(text: str) -> Block:
    """Return a text content block."""
    return {"type": "text", "text": text}


def failed(text: str, kind: ErrorKind, *, is_error: bool | None = True) -> Result:
    """Return a failure as one text, which most servers mark as an error and some do not."""
    return Result([text_block(text)], ok=False, is_error=is_error, error_kind=kind)


def compact_json(value: Any) -> str:
    """Return JSON without spaces in the given order, like JSON.stringify."""
    return orjson.dumps(value).decode()


def indented_json(value: Any) -> str:
    """Return JSON with an indentation of two spaces, like JSON.stringify(value, null, 2)."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def go_json(text: str) -> str:
    """Return JSON with the escapes of Go's encoding/json for characters that are special in HTML or JavaScript."""
    return text.translate(_HTML_ESCAPES)
