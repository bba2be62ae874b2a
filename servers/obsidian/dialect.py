"""mcp-obsidian's dialect: one text, and `Caught Exception. Error: …` for any exception of a handler.

The Python SDK's low-level server validates arguments; it neither adds defaults nor drops unknown arguments.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.obsidian.rules.replies import TextReply
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, jsonschema, python_sdk


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return jsonschema.check(tool, arguments)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    if isinstance(reply, TextReply):
        return Result(
            [text_block(reply.text)], ok=reply.ok, is_error=False, error_kind=None if reply.ok else "not_found"
        )
    return Result([text_block(reply)], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments(error)
    return failed(f"Caught Exception. Error: {error.message}", error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"Caught Exception. Error: Error 50000: Internal Server Error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return python_sdk.unknown_tool(name)
