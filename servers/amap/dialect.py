"""How the server words things: whatever a web service refuses is {"error": …} in a result that no flag marks.

Source: sugarforever/amap-mcp-server 478680e on the MCP SDK 1.8.1 (its FastMCP, which pydantic checks for).
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, indented_json, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, pydantic, python_sdk


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    return pydantic.check_model(tool, arguments, "2.11", reads_all_text=True)


def success(tool: Tool, reply: Reply) -> Answer:
    return Result([text_block(indented_json(reply))], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments_of_function(tool, error)
    return failed(indented_json({"error": error.message}), error.kind, is_error=False)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"Error executing tool {tool.name}: internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    return python_sdk.unknown_tool(name)
