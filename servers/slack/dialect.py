"""Replies and errors of Slack's two MCP servers, which the tool's name distinguishes.

The reference server (`slack_*`) replies with the Web API's body as compact JSON and never sets isError: Slack's
failures are {"ok": false, "error": code}, its own are {"error": text}. The korotovsky server replies with text, CSV or
JSON; any failure is isError with the bare code or sentence. Neither validates arguments against the schemas.
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.slack.rules.errors import ProtocolRefusal, Refusal, SlackError, tool_is_missing
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, compact_json, failed, go_json, text_block
from soundstage.servers.tool import Tool

_REFERENCE = "slack_"


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Return the arguments unchecked; only the reference server rejects missing ones."""
    if arguments is None and is_reference(tool.name):
        raise Refusal("No arguments provided")
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    """Word a successful reply."""
    if isinstance(reply, list):
        return Result(reply, ok=True)
    if isinstance(reply, str):
        return Result([text_block(reply)], ok=True)
    text = compact_json(reply)
    return Result([text_block(text if is_reference(tool.name) else go_json(text))], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Word an error of the kernel."""
    if isinstance(error, ProtocolRefusal):
        return ProtocolFailure(error.code, error.message, error.kind)
    if not is_reference(tool.name):
        return failed(error.message, error.kind)
    body: dict[str, Any] = {"error": error.message}
    if isinstance(error, SlackError):
        body = {"ok": False, "error": error.code, **error.details}
    return failed(compact_json(body), error.kind, is_error=None)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Word an unexpected error."""
    if is_reference(tool.name):
        body = compact_json({"ok": False, "error": "internal_error"})
        return failed(body, "internal", is_error=None)
    return failed("internal_error", "internal")


def unknown_tool(name: str) -> Answer:
    """Word a call of an unknown tool."""
    if is_reference(name):
        return failed(compact_json({"error": f"Unknown tool: {name}"}), "unknown_tool", is_error=None)
    missing = tool_is_missing(name)
    return ProtocolFailure(missing.code, missing.message, missing.kind)


def is_reference(tool: str) -> bool:
    """Return whether a tool is the reference server's."""
    return tool.startswith(_REFERENCE)
