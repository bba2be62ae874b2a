"""How firecrawl-mcp 1.12.0 words things: one trimmed text, always with isError. Its own checks are the kernels'."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import SPACES, indented
from soundstage.kernels.errors import AppError
from soundstage.kernels.firecrawl.rules.errors import FirecrawlError, TimedOut
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool

_REQUEST_TIMEOUT = -32001
"""What the TypeScript SDK's client says of a request that nobody answers."""


class NoArguments(AppError):
    """A call without an object of arguments."""

    def __init__(self) -> None:
        super().__init__("invalid_arguments", "Error: No arguments provided")


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    if arguments is None:
        raise NoArguments
    return arguments


def success(tool: Tool, reply: Reply) -> Answer:
    text = reply if isinstance(reply, str) and tool.name != "firecrawl_extract" else indented(reply)
    return Result([text_block(text.strip(SPACES))], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, TimedOut):
        return ProtocolFailure(_REQUEST_TIMEOUT, "MCP error -32001: Request timed out", error.kind)
    own = isinstance(error, FirecrawlError | NoArguments)
    return failed((error.message if own else f"Error: {error.message}").strip(SPACES), error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"Error: Internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    return failed(f"Unknown tool: {name}", "unknown_tool")
