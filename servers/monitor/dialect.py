"""The server's dialect: indented JSON, or one English sentence after a failure. Arguments are not validated.

Source: seekrays/mcp-monitor 003a328 on mark3labs/mcp-go v0.14.1.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.monitor.rules.errors import Panic
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, go_json, indented_json, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import INVALID_PARAMS


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return Result([text_block(go_json(indented_json(reply)))], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(Panic().message, "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return ProtocolFailure(INVALID_PARAMS, f"Tool not found: {name}", "unknown_tool")
