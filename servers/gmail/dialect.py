"""The Gmail server's dialect: one text without `isError`; failures are recognisable only by their first words.

Arguments are validated with zod 3, whose issues form the error text; unknown arguments are ignored.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.gmail.rules.batches import Batch
from soundstage.kernels.gmail.rules.errors import Download, Hang
from soundstage.kernels.gmail.rules.filters import Missed
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import zod, zod3

_REQUEST_TIMEOUT = -32001
_UNCHECKED = ("list_email_labels", "list_filters")  # their handlers ignore their arguments


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    if tool.name in _UNCHECKED:
        return {}
    return zod.check(tool, arguments, zod3, zod.as_json)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    if isinstance(reply, Missed):
        return failed(reply.text, "not_found", is_error=None)
    if isinstance(reply, Batch):
        return Result([text_block(reply.text)], reply.ok, error_kind=None if reply.ok else "invalid")
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, Hang):
        return ProtocolFailure(_REQUEST_TIMEOUT, error.message, error.kind)
    if isinstance(error, Download):
        return failed(error.message, error.kind, is_error=None)
    return failed(f"Error: {error.message}", error.kind, is_error=None)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"Error: Internal error encountered. ({call_id})", "internal", is_error=None)


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return failed(f"Error: Unknown tool: {name}", "unknown_tool", is_error=None)
