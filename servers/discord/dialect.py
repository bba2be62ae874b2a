"""Replies and errors of the Discord server: one text; an exception is its message, flagged as an error.

The SDK validates arguments before the tool sees them. The packages of the server's uv.lock include mcp 1.1.2, which
does not: a state whose `server` says so passes every call on unchecked.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, jsonschema, python_sdk

_UNCHECKED = "locked"


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the Python SDK."""
    return jsonschema.check(tool, arguments)


def check_in(context: AppContext, tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments unless the state's server uses the locked packages."""
    server = context.first("server") or {}
    return arguments or {} if server.get("generation") == _UNCHECKED else check(tool, arguments)


def success(tool: Tool, reply: Reply) -> Answer:
    """Word a successful reply."""
    return Result([text_block(reply)], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Word an error of the kernel."""
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments(error)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Word an unexpected error."""
    return failed("500 Internal Server Error (error code: 0): 500: Internal Server Error", "internal")


def unknown_tool(name: str) -> Answer:
    """Word a call of an unknown tool."""
    return python_sdk.unknown_tool(name)
