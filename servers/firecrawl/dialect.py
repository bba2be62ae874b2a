"""The dialect of firecrawl-mcp 1.12.0: one trimmed text, always with isError. The kernels do the server's own checks."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import SPACES, indented
from soundstage.kernels.errors import AppError
from soundstage.kernels.firecrawl.rules.errors import FirecrawlError, TimedOut
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool

_REQUEST_TIMEOUT = -32001
"""The code of the TypeScript SDK's client for a request that times out."""


class NoArguments(AppError):
    """A call without an arguments object."""

    def __init__(self) -> None:
        """Create the error."""
        super().__init__("invalid_arguments", "Error: No arguments provided")


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    if arguments is None:
        raise NoArguments
    return arguments


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    text = reply if isinstance(reply, str) and tool.name != "firecrawl_extract" else indented(reply)
    return Result([text_block(text.strip(SPACES))], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, TimedOut):
        return ProtocolFailure(_REQUEST_TIMEOUT, "MCP error -32001: Request timed out", error.kind)
    own = isinstance(error, FirecrawlError | NoArguments)
    return failed((error.message if own else f"Error: {error.message}").strip(SPACES), error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"Error: Internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return failed(f"Unknown tool: {name}", "unknown_tool")
