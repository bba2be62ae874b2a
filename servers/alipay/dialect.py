"""The server's dialect: a short Chinese sentence without an error flag; only invalid arguments are marked.

The package @alipay/mcp-server-alipay is not available. The sentences are those of the same five operations in Alibaba's
agentscope-runtime (tools/alipay/payment.py); arguments are validated like current servers of this kind do, with the TypeScript
SDK 1.30 or later and zod 3.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, typescript_sdk, zod, zod3


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return zod.check(tool, arguments or {}, zod3, zod.at_paths)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, InvalidArguments):
        return typescript_sdk.invalid_arguments(tool, error)
    return failed(error.message, error.kind, is_error=None)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"操作失败. 错误信息: {call_id}", "internal", is_error=None)


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return typescript_sdk.unknown_tool(name)
