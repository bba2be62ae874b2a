"""How the server words things: texts, one or several, flagged as an error where something failed. Arguments are
checked by nobody.

Source: npm @executeautomation/playwright-mcp-server 1.0.12 on SDK 1.24.3. A call that never ends is answered as its client
sees it.
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
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    texts = reply if isinstance(reply, list) else [reply if isinstance(reply, str) else compact_json(reply)]
    return Result([text_block(text) for text in texts], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, NoAnswer):
        return ProtocolFailure(_REQUEST_TIMEOUT, error.message, error.kind)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"Operation failed: Internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    return failed(f"Unknown tool: {name}", "unknown_tool")
