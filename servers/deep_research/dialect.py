"""The server's dialect: one text; invalid arguments are zod's issues in a JSON-RPC error.

Source: baranwang/mcp-deep-research e6f4f3f (1.1.0) on the TypeScript SDK 1.8, with zod 3. The key is checked before the
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
"""The tool's name; the real server ignores the name of a call."""


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return zod.check(tool, arguments, zod3, zod.as_json)


def check_in(context: AppContext, tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the generation of the server that the session's state selects."""
    if (context.first("api_key") or {}).get("missing"):
        raise NoKey
    return check(tool, arguments)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, InvalidArguments):
        return ProtocolFailure(_INTERNAL, error.message, error.kind)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return ProtocolFailure(_INTERNAL, f"Internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the SDK's reply to an unknown tool, which the real server never produces."""
    return typescript_sdk.unknown_tool_before_1_21(name)
