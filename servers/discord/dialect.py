"""How the server words things: one text of prose; any exception is its message, flagged as an error.

Arguments are checked by the SDK before the tool sees them. The packages of the server's uv.lock hold mcp 1.1.2, which does
not check: a state whose `server` says so gets every call as it is.
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
    return jsonschema.check(tool, arguments)


def check_in(context: AppContext, tool: Tool, arguments: Arguments | None) -> Arguments:
    server = context.first("server") or {}
    return arguments or {} if server.get("generation") == _UNCHECKED else check(tool, arguments)


def success(tool: Tool, reply: Reply) -> Answer:
    return Result([text_block(reply)], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments(error)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed("500 Internal Server Error (error code: 0): 500: Internal Server Error", "internal")


def unknown_tool(name: str) -> Answer:
    return python_sdk.unknown_tool(name)
