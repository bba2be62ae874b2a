"""How the server words things: one short sentence in Chinese, which is never flagged; only arguments that do not fit are.

The package @alipay/mcp-server-alipay is not to be had. Its sentences are those of the same five operations in Alibaba's
agentscope-runtime (tools/alipay/payment.py); arguments are checked as its kind of server does today, the TypeScript SDK 1.30 and
later with zod 3.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, typescript_sdk, zod, zod3


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    return zod.check(tool, arguments or {}, zod3, zod.at_paths)


def success(tool: Tool, reply: Reply) -> Answer:
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, InvalidArguments):
        return typescript_sdk.invalid_arguments(tool, error)
    return failed(error.message, error.kind, is_error=None)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"操作失败. 错误信息: {call_id}", "internal", is_error=None)


def unknown_tool(name: str) -> Answer:
    return typescript_sdk.unknown_tool(name)
