"""How the server words things: compact JSON in one text, said again as structuredContent, and flagged for arguments alone.

Source: AI-Hub-Admin/finance-agent-mcp-server 2662455 on the Python SDK's FastMCP 1.12.2. What it prints for its makers, which
corrupts its standard output, is left out.
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
    return pydantic.check_model(tool, arguments, _PYDANTIC)


def success(tool: Tool, reply: Reply) -> Answer:
    return _said(reply, ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments_of_function(tool, error)
    return _said(error.message, ok=False, kind=error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return _said(f"Unexpected error: {call_id}", ok=False, kind="internal")


def unknown_tool(name: str) -> Answer:
    return python_sdk.unknown_tool(name)


def _said(text: str, *, ok: bool, kind: ErrorKind | None = None) -> Result:
    return Result([text_block(text)], ok=ok, is_error=False, structured={"result": text}, error_kind=kind)
