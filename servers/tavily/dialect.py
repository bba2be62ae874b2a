"""The dialect of tavily-mcp 0.2.9: plain text, two exceptions, other failures marked. Only the API validates arguments."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.tavily.rules.errors import Thrown
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import INTERNAL_ERROR, METHOD_NOT_FOUND
from soundstage.servers.wording.typescript_sdk import mcp_error


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, Thrown):
        return ProtocolFailure(INTERNAL_ERROR, error.message, error.kind)
    return failed(f"Tavily API error: {error.message}", error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return ProtocolFailure(INTERNAL_ERROR, f"Internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return ProtocolFailure(METHOD_NOT_FOUND, mcp_error(f"Unknown tool: {name}", METHOD_NOT_FOUND), "unknown_tool")
