"""How the server words things: one English sentence, flagged as an error where it failed. Arguments are checked by nobody.

Source: gotoolkits/mcp-wecombot-server b6d6415 on mark3labs/mcp-go v0.8.2.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.kernels.wecom.rules.errors import Panic
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import INVALID_PARAMS


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(Panic().message, "internal")


def unknown_tool(name: str) -> Answer:
    return ProtocolFailure(INVALID_PARAMS, f"Tool not found: {name}", "unknown_tool")
