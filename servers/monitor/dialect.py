"""How the server words things: JSON with indents, one English sentence where it failed. Arguments are checked by nobody.

Source: seekrays/mcp-monitor 003a328 on mark3labs/mcp-go v0.14.1.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.monitor.rules.errors import Panic
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, go_json, indented_json, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import INVALID_PARAMS


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    return Result([text_block(go_json(indented_json(reply)))], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(Panic().message, "internal")


def unknown_tool(name: str) -> Answer:
    return ProtocolFailure(INVALID_PARAMS, f"Tool not found: {name}", "unknown_tool")
