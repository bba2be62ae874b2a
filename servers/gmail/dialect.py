"""How the Gmail server words things: one text, `isError` never set, failures told by how the text begins.

Arguments are checked with zod 3, whose issues are the text of the error; what a schema does not name is passed over.
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
_UNCHECKED = ("list_email_labels", "list_filters")  # their handlers never look at what came


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    if tool.name in _UNCHECKED:
        return {}
    return zod.check(tool, arguments, zod3, zod.as_json)


def success(tool: Tool, reply: Reply) -> Answer:
    if isinstance(reply, Missed):
        return failed(reply.text, "not_found", is_error=None)
    if isinstance(reply, Batch):
        return Result([text_block(reply.text)], reply.ok, error_kind=None if reply.ok else "invalid")
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, Hang):
        return ProtocolFailure(_REQUEST_TIMEOUT, error.message, error.kind)
    if isinstance(error, Download):
        return failed(error.message, error.kind, is_error=None)
    return failed(f"Error: {error.message}", error.kind, is_error=None)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"Error: Internal error encountered. ({call_id})", "internal", is_error=None)


def unknown_tool(name: str) -> Answer:
    return failed(f"Error: Unknown tool: {name}", "unknown_tool", is_error=None)
