"""Replies and errors of the Notion MCP server.

Success is indented JSON with the same object as structuredContent, or only Markdown if the kernel's reply is text.
Every failure, Notion's or the server's own, is isError with `{"error": {"message": …}}`. The MCP SDK (1.29 with zod 4)
validates arguments before the server sees them; a call without arguments is rejected even if none are required.
Sources: recorded replies, and `src/mcp/` in https://github.com/suekou/mcp-notion-server.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.notion.rules.errors import Unfinished
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, indented_json, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, typescript_sdk, zod, zod4


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like zod 4."""
    return zod.check(tool, arguments, zod4, zod.as_json)


def success(tool: Tool, reply: Reply) -> Answer:
    """Word a successful reply, or a batch that failed after some writes."""
    match reply:
        case str():
            return Result([text_block(reply)], ok=True)
        case Unfinished():
            return _error(reply.error.message, reply.error.kind)
        case _:
            return Result([text_block(indented_json(reply))], ok=True, structured=reply)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Word an error of the kernel."""
    if isinstance(error, InvalidArguments):
        return typescript_sdk.invalid_arguments(tool, error)
    return _error(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Word an unexpected error."""
    message = "Notion API request failed (500 internal_server_error): Unexpected error occurred."
    return _error(message, "internal")


def unknown_tool(name: str) -> Answer:
    """Word a call of an unknown tool."""
    return typescript_sdk.unknown_tool(name)


def _error(message: str, kind: ErrorKind) -> Answer:
    body = {"error": {"message": message}}
    return Result([text_block(indented_json(body))], ok=False, is_error=True, structured=body, error_kind=kind)
