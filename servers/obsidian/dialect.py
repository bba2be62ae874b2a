"""How mcp-obsidian words things: one text, and for whatever goes wrong in a handler `Caught Exception. Error: …`.

Arguments are checked by the Python SDK's low-level server, which neither fills in defaults nor drops what it does not know.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.obsidian.rules.replies import Told
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, jsonschema, python_sdk


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    return jsonschema.check(tool, arguments)


def success(tool: Tool, reply: Reply) -> Answer:
    if isinstance(reply, Told):
        return Result(
            [text_block(reply.text)], ok=reply.ok, is_error=False, error_kind=None if reply.ok else "not_found"
        )
    return Result([text_block(reply)], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments(error)
    return failed(f"Caught Exception. Error: {error.message}", error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"Caught Exception. Error: Error 50000: Internal Server Error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    return python_sdk.unknown_tool(name)
