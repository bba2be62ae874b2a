"""The server's dialect: a service's response unchanged; an exception is its message, marked as an error.

From SDK 1.10 on, arguments are validated before the tool is called, and the object that `map_poi_extract` returns is sent as
structured content and as text with non-ASCII characters escaped. The server's uv.lock pins 1.9.0, which validates nothing and
cannot send an object, because it treats member names as content. Source: baidu-maps/mcp dfbd774; `lowlevel/server.py` of the
SDK 1.9.0, 1.12.2 and 1.30.0.
"""

from __future__ import annotations

import json

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, compact_json, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, jsonschema, python_sdk

_UNCHECKED = "mcp 1.9"


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return jsonschema.check(tool, arguments)


def check_in(context: AppContext, tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the generation of the server that the session's state selects."""
    generation = (context.first("server") or {}).get("generation", "")
    return arguments or {} if generation.startswith(_UNCHECKED) else check(tool, arguments)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    if tool.name == "map_poi_extract":
        return Result([text_block(json.dumps(reply, indent=2))], ok=True, is_error=False, structured=reply)
    return Result([text_block(compact_json(reply))], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments(error)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"Internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return python_sdk.unknown_tool(name)
