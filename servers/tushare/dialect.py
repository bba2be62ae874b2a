"""The server's dialect: one Chinese text without an error flag, except for invalid arguments and unknown tools.

Source: zhewenzhang/tushare_MCP ba9c020 on the Python SDK's FastMCP 1.6.0.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, pydantic, python_sdk

_PYDANTIC = "2.11"


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return pydantic.check_model(tool, arguments, _PYDANTIC, reads_all_text=True)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return Result([text_block(reply)], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments_of_function(tool, error)
    return failed(error.message, error.kind, is_error=False)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"查询失败：{call_id}", "internal", is_error=False)


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return python_sdk.unknown_tool(name)
