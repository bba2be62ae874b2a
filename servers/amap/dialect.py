"""The server's dialect: an error of a web service is {"error": …} in a result without an error flag.

Source: sugarforever/amap-mcp-server 478680e on the MCP SDK 1.8.1 (its FastMCP, which validates with pydantic).
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, indented_json, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, pydantic, python_sdk


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return pydantic.check_model(tool, arguments, "2.11", reads_all_text=True)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return Result([text_block(indented_json(reply))], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments_of_function(tool, error)
    return failed(indented_json({"error": error.message}), error.kind, is_error=False)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"Error executing tool {tool.name}: internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return python_sdk.unknown_tool(name)
