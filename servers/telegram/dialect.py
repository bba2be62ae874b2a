"""How the Telegram server words things. It is written on the Python SDK's FastMCP.

A reply is one text, said again as structuredContent, and marked as being for the user. So is nearly every failure, which never
sets isError: a sentence of the server's own, or the generic one with a code for whatever Telegram or the client library
refuses. Only arguments that break the schema, and unknown tools, are flagged.
Source: https://github.com/chigwell/telegram-mcp, telegram_mcp/runtime.py (log_and_format_error, the hook on results)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.telegram.rules.errors import generic, worded
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, pydantic, python_sdk

_PYDANTIC = "2.14"
_FOR_USER = {"audience": ["user"]}
_IDS = (
    "allow_users", "channel", "chat_id", "contact_id", "disallow_users", "from_chat_id", "group_id", "to_chat_id", "user_id",
    "user_ids",
)  # fmt: skip
_INTEGERS_END = 2.0**63


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    given = {name: _whole(value) if name in _IDS else value for name, value in (arguments or {}).items()}
    return pydantic.check_model(tool, given, _PYDANTIC)


def success(tool: Tool, reply: Reply) -> Answer:
    return _said(str(reply), ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, InvalidArguments):
        return _for_user(python_sdk.invalid_arguments_of_function(tool, error))
    return _said(worded(tool.name, error), ok=False, kind=error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return _said(generic(tool.name), ok=False, kind="internal")


def unknown_tool(name: str) -> Answer:
    return _for_user(python_sdk.unknown_tool(name))


def _said(text: str, *, ok: bool, kind: ErrorKind | None = None) -> Result:
    structured = {"result": text}
    return _for_user(Result([text_block(text)], ok=ok, is_error=False, structured=structured, error_kind=kind))


def _for_user(result: Result) -> Result:
    return replace(result, content=[{**block, "annotations": _FOR_USER} for block in result.content])


def _whole(value: Any) -> Any:
    """An id beyond 64 bits, which came as a float, as the integer that Python reads; the server refuses it itself."""
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and abs(value) >= _INTEGERS_END else value
