"""How Slack's two MCP servers word things; a tool's name tells whose it is.

The reference server (`slack_*`) answers with the Web API's body as compact JSON and never sets isError: Slack's
failures are {"ok": false, "error": code}, its own are {"error": text}. The korotovsky server answers with text, CSV or
JSON; any failure is isError with the bare code or sentence. Neither checks arguments against the schemas.
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.slack.rules.errors import ProtocolRefusal, Refusal, SlackError, tool_is_missing
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, compact_json, text_block
from soundstage.servers.tool import Tool

_REFERENCE = "slack_"
# Go's encoding/json writes these characters so that JSON can stand in HTML.
_GO_ESCAPES = {"&": "\\u0026", "<": "\\u003c", ">": "\\u003e", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    if arguments is None and _is_reference(tool.name):
        raise Refusal("No arguments provided")
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    if isinstance(reply, list):
        return Result(reply, ok=True)
    if isinstance(reply, str):
        return Result([text_block(reply)], ok=True)
    text = compact_json(reply)
    return Result([text_block(text if _is_reference(tool.name) else _go_json(text))], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, ProtocolRefusal):
        return ProtocolFailure(error.code, error.message, error.kind)
    if not isinstance(error, SlackError | Refusal):
        raise TypeError(f"not an error of Slack's: {error!r}")
    if not _is_reference(tool.name):
        return Result([text_block(error.message)], ok=False, is_error=True, error_kind=error.kind)
    body: dict[str, Any] = {"error": error.message}
    if isinstance(error, SlackError):
        body = {"ok": False, "error": error.code, **error.details}
    return Result([text_block(compact_json(body))], ok=False, error_kind=error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    if _is_reference(tool.name):
        body = compact_json({"ok": False, "error": "internal_error"})
        return Result([text_block(body)], ok=False, error_kind="internal")
    return Result([text_block("internal_error")], ok=False, is_error=True, error_kind="internal")


def unknown_tool(name: str) -> Answer:
    if _is_reference(name):
        body = compact_json({"error": f"Unknown tool: {name}"})
        return Result([text_block(body)], ok=False, error_kind="unknown_tool")
    missing = tool_is_missing(name)
    return ProtocolFailure(missing.code, missing.message, missing.kind)


def _is_reference(tool: str) -> bool:
    return tool.startswith(_REFERENCE)


def _go_json(text: str) -> str:
    for character, escape in _GO_ESCAPES.items():
        text = text.replace(character, escape)
    return text
