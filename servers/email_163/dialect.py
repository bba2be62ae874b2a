"""The mail server's dialect: one Chinese text without `isError`; arguments are not validated.

A call that never ends gets its client's timeout error, and a call that crashes the server the error of a closed connection.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.email_163.rules.errors import Crash, Hang, MailError, TextReply
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool

_CONNECTION_CLOSED, _REQUEST_TIMEOUT = -32000, -32001
# The argument that each handler reads first; the other handlers treat missing arguments as an empty object.
_FIRST_READ = {
    "send_email": "to",
    "get_email_content": "uid",
    "setup_email_account": "email",
    "configure_email_server": "smtpHost",
}


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    if arguments is None and (first := _FIRST_READ.get(tool.name)):
        raise MailError("invalid_arguments", f"Cannot destructure property '{first}' of 'args' as it is undefined.")
    return arguments or {}


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    outcome: TextReply = reply
    return Result([text_block(outcome.text)], outcome.ok, error_kind=None if outcome.ok else "invalid")


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, Hang):
        return ProtocolFailure(_REQUEST_TIMEOUT, error.message, error.kind)
    if isinstance(error, Crash):
        return ProtocolFailure(_CONNECTION_CLOSED, error.message, error.kind)
    return failed(f"错误: {error.message}", error.kind, is_error=None)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"错误: internal error ({call_id})", "internal", is_error=None)


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return failed(f"错误: 未知的工具: {name}", "unknown_tool", is_error=None)
