"""Replies of the Telegram server, which uses FastMCP of the Python SDK.

A reply is one text, repeated as structuredContent and marked for the user. So is nearly every failure, without isError:
a text of the server itself, or a generic text with a code for errors of Telegram or the client library. Only invalid
arguments and unknown tools set isError.

Source: https://github.com/chigwell/telegram-mcp, telegram_mcp/runtime.py (log_and_format_error, the hook on results)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.telegram.rules.errors import error_text, generic_text
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
    """Validate the arguments like pydantic."""
    given = {name: _whole(value) if name in _IDS else value for name, value in (arguments or {}).items()}
    return pydantic.check_model(tool, given, _PYDANTIC)


def success(tool: Tool, reply: Reply) -> Answer:
    """Word a successful reply."""
    return _text_result(str(reply), ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Word an error of the kernel."""
    if isinstance(error, InvalidArguments):
        return _for_user(python_sdk.invalid_arguments_of_function(tool, error))
    return _text_result(error_text(tool.name, error), ok=False, kind=error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Word an unexpected error."""
    return _text_result(generic_text(tool.name), ok=False, kind="internal")


def unknown_tool(name: str) -> Answer:
    """Word a call of an unknown tool."""
    return _for_user(python_sdk.unknown_tool(name))


def _text_result(text: str, *, ok: bool, kind: ErrorKind | None = None) -> Result:
    structured = {"result": text}
    return _for_user(Result([text_block(text)], ok=ok, is_error=False, structured=structured, error_kind=kind))


def _for_user(result: Result) -> Result:
    return replace(result, content=[{**block, "annotations": _FOR_USER} for block in result.content])


def _whole(value: Any) -> Any:
    """Convert an id beyond 64 bits, which arrives as a float, to an integer that the server then rejects."""
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and abs(value) >= _INTEGERS_END else value
