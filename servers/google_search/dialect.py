"""How @adenot/mcp-google-search 0.3.1 words things: JSON, flagged errors of two services, and what it throws."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, indented_json, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from soundstage.servers.wording.typescript_sdk import mcp_error

_SERVICES = {"search": "Search API error", "read_webpage": "Webpage fetch error"}


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    return Result([text_block(indented_json(reply))], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    from soundstage.kernels.google_search.rules.errors import InvalidParams, Thrown  # lists are made without any kernel

    if isinstance(error, InvalidParams):
        return ProtocolFailure(INVALID_PARAMS, mcp_error(error.message), error.kind)
    if isinstance(error, Thrown):
        return ProtocolFailure(INTERNAL_ERROR, error.message, error.kind)
    return failed(f"{_SERVICES[tool.name]}: {error.message}", error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return ProtocolFailure(INTERNAL_ERROR, f"Internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    return ProtocolFailure(METHOD_NOT_FOUND, mcp_error(f"Unknown tool: {name}", METHOD_NOT_FOUND), "unknown_tool")
