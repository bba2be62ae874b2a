"""The server's dialect: compact JSON in one text and as structuredContent; only invalid arguments are marked as errors.

Source: AI-Hub-Admin/finance-agent-mcp-server 2662455 on the Python SDK's FastMCP 1.12.2. Its debug output, which corrupts its
standard output, is omitted.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, pydantic, python_sdk

_PYDANTIC = "2.11"


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return pydantic.check_model(tool, arguments, _PYDANTIC)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return _text_result(reply, ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments_of_function(tool, error)
    return _text_result(error.message, ok=False, kind=error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return _text_result(f"Unexpected error: {call_id}", ok=False, kind="internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return python_sdk.unknown_tool(name)


def _text_result(text: str, *, ok: bool, kind: ErrorKind | None = None) -> Result:
    return Result([text_block(text)], ok=ok, is_error=False, structured={"result": text}, error_kind=kind)
