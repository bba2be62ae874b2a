"""What an app answers, as MCP carries it, and the face (dialect) that every app puts on its kernels."""

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
"""One MCP content block as it goes on the wire, such as {"type": "text", "text": …}."""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result.

    `ok` tells whether the app did what was asked; `is_error` is MCP's flag (None: left out), which real servers often
    leave false on a failure.
    """

    content: list[Block]
    ok: bool
    is_error: bool | None = None
    structured: dict[str, Any] | None = None
    error_kind: ErrorKind | None = None

    def wire(self) -> dict[str, Any]:
        """The result as an MCP client receives it, and as the journal keeps it."""
        wire: dict[str, Any] = {"content": self.content}
        if self.structured is not None:
            wire["structuredContent"] = self.structured
        if self.is_error is not None:
            wire["isError"] = self.is_error
        return wire


@dataclass(frozen=True, slots=True)
class ProtocolFailure:
    """A failure that the real server answers on JSON-RPC's error channel, without a tool result."""

    code: int
    message: str
    error_kind: ErrorKind
    data: Any = None
    ok: bool = False
    is_error: bool | None = None

    def wire(self) -> dict[str, Any]:
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return {"error": error}


Answer = Result | ProtocolFailure


class Dialect(Protocol):
    """How one app words things; `servers/<app>/dialect.py` is a module with these functions."""

    def check(self, tool: Tool, arguments: Arguments | None) -> Arguments:
        """The arguments (None: the call carried none at all) as the kernel gets them, or the app's refusal.

        Raises:
            AppError: kind `invalid_arguments`; `failure` words it.
        """

    def success(self, tool: Tool, reply: Reply) -> Answer:
        """A kernel's reply in the app's envelope."""

    def failure(self, tool: Tool, error: AppError, context: AppContext) -> Answer:
        """The app's refusal in the app's words.

        What is no error of the app's own, such as a fault in general words, is its message in the app's envelope.
        """

    def internal_error(self, tool: Tool, call_id: str) -> Answer:
        """The app's own words for a crash. `call_id` leads to the log."""

    def unknown_tool(self, name: str) -> Answer:
        """The real server's answer to a tool name it does not have."""


@runtime_checkable
class StateDialect(Dialect, Protocol):
    """The dialect of an app whose state says which of several generations of its server answers: they check differently."""

    def check_in(self, context: AppContext, tool: Tool, arguments: Arguments | None) -> Arguments:
        """What `check` is for others."""


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def failed(text: str, kind: ErrorKind, *, is_error: bool | None = True) -> Result:
    """A failure in one text, which most servers flag and some do not."""
    return Result([text_block(text)], ok=False, is_error=is_error, error_kind=kind)


def compact_json(value: Any) -> str:
    """JSON without spaces, keys in the order given: what JSON.stringify writes."""
    return orjson.dumps(value).decode()


def indented_json(value: Any) -> str:
    """JSON indented by two spaces: what JSON.stringify(value, null, 2) writes."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def go_json(text: str) -> str:
    """JSON as Go's encoding/json writes it: with escapes for what HTML or JavaScript would stumble over."""
    return text.translate(_HTML_ESCAPES)
