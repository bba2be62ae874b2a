"""How the server words things: one text, and the same as structured content; what fails is flagged, and is its message alone.

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
    return zod.check(tool, arguments or {}, zod4, zod.at_paths)


def success(tool: Tool, reply: Reply) -> Answer:
    """A text, or blocks for what is no text."""
    content = [text_block(reply)] if isinstance(reply, str) else reply
    return Result(content, ok=True, structured={"content": reply})


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, InvalidArguments):
        return typescript_sdk.invalid_arguments(tool, error)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"EIO: i/o error, read ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    return typescript_sdk.unknown_tool(name)
