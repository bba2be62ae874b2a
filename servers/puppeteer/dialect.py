"""The server's dialect: sentences, some with an image; errors that escape a tool are JSON-RPC internal errors.

Source: npm @modelcontextprotocol/server-puppeteer 2025.5.12 on SDK 1.0.1. Arguments are not validated.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.puppeteer.puppeteer_screenshot import Picture
from soundstage.kernels.puppeteer.rules.errors import Failed
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool

_INTERNAL_ERROR = -32603


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    if isinstance(reply, Picture):
        picture = {"type": "image", "data": reply.data, "mimeType": "image/png"}
        shown = text_block(f"data:image/png;base64,{reply.data}") if reply.encoded else picture
        return Result([text_block(reply.sentence), shown], ok=True, is_error=False)
    return Result([text_block(reply)], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, Failed) and error.escapes:
        return ProtocolFailure(_INTERNAL_ERROR, error.message, error.kind)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return ProtocolFailure(_INTERNAL_ERROR, f"Protocol error: Target closed ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return failed(f"Unknown tool: {name}", "unknown_tool")
