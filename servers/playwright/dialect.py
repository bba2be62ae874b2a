"""The server's dialect: one or several texts, marked as an error after a failure. Arguments are not validated.

Source: npm @executeautomation/playwright-mcp-server 1.0.12 on SDK 1.24.3. A call that never ends gets its client's timeout
error.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import NoAnswer
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, compact_json, failed, text_block
from soundstage.servers.tool import Tool

_REQUEST_TIMEOUT = -32001


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    texts = reply if isinstance(reply, list) else [reply if isinstance(reply, str) else compact_json(reply)]
    return Result([text_block(text) for text in texts], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, NoAnswer):
        return ProtocolFailure(_REQUEST_TIMEOUT, error.message, error.kind)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"Operation failed: Internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return failed(f"Unknown tool: {name}", "unknown_tool")
