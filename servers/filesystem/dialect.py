"""The server's dialect: a text that is repeated as structured content; failures are marked and consist of the message.

Source: @modelcontextprotocol/server-filesystem 2026.8.31 on the TypeScript SDK 1.32, with zod 4.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, typescript_sdk, zod, zod4


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return zod.check(tool, arguments or {}, zod4, zod.at_paths)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a text, or content blocks for binary files."""
    content = [text_block(reply)] if isinstance(reply, str) else reply
    return Result(content, ok=True, structured={"content": reply})


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, InvalidArguments):
        return typescript_sdk.invalid_arguments(tool, error)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"EIO: i/o error, read ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return typescript_sdk.unknown_tool(name)
