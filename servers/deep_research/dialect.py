"""How the server words things: one text; arguments that do not do are zod's issues on JSON-RPC's error channel.

Source: baranwang/mcp-deep-research e6f4f3f (1.1.0) on the TypeScript SDK 1.8, with zod 3. The key is looked at before the
arguments.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deep_research.rules.errors import NoKey
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, typescript_sdk, zod, zod3

_INTERNAL = -32603

ANY_NAME = "deep-research"
"""The real server does not look at the name that is called."""


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    return zod.check(tool, arguments, zod3, zod.as_json)


def check_in(context: AppContext, tool: Tool, arguments: Arguments | None) -> Arguments:
    if (context.first("api_key") or {}).get("missing"):
        raise NoKey
    return check(tool, arguments)


def success(tool: Tool, reply: Reply) -> Answer:
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, InvalidArguments):
        return ProtocolFailure(_INTERNAL, error.message, error.kind)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return ProtocolFailure(_INTERNAL, f"Internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """What the SDK says of a tool that a server has not; the real one is never asked."""
    return typescript_sdk.unknown_tool_before_1_21(name)
