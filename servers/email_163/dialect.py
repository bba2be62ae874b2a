"""How the mail server words things: one Chinese text, `isError` never set, arguments never checked.

A call that never ends is answered as its client sees it: with MCP's error of a request that timed out; one that ends the server's
process with that of a connection that was closed.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.email_163.rules.errors import Crash, Hang, MailError, Told
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool

_CONNECTION_CLOSED, _REQUEST_TIMEOUT = -32000, -32001
# What each handler reads first of its arguments; the other handlers take none for an empty object.
_FIRST_READ = {
    "send_email": "to",
    "get_email_content": "uid",
    "setup_email_account": "email",
    "configure_email_server": "smtpHost",
}


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    if arguments is None and (first := _FIRST_READ.get(tool.name)):
        raise MailError("invalid_arguments", f"Cannot destructure property '{first}' of 'args' as it is undefined.")
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    told: Told = reply
    return Result([text_block(told.text)], told.ok, error_kind=None if told.ok else "invalid")


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, Hang):
        return ProtocolFailure(_REQUEST_TIMEOUT, error.message, error.kind)
    if isinstance(error, Crash):
        return ProtocolFailure(_CONNECTION_CLOSED, error.message, error.kind)
    return failed(f"错误: {error.message}", error.kind, is_error=None)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"错误: internal error ({call_id})", "internal", is_error=None)


def unknown_tool(name: str) -> Answer:
    return failed(f"错误: 未知的工具: {name}", "unknown_tool", is_error=None)
