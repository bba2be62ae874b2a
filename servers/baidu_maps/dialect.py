"""How the server words things: a service's answer as it came; any exception is its message, flagged as an error.

From SDK 1.10 on, arguments are checked before the tool sees them, and what `map_poi_extract` gives back, which is an object, goes
out as structured content, and as a text in which all that is not ASCII is escaped. The server's uv.lock holds 1.9.0, which checks
nothing and cannot send an object: it takes its members' names for content. Source: baidu-maps/mcp dfbd774; `lowlevel/server.py`
of the SDK 1.9.0, 1.12.2 and 1.30.0.
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
    return jsonschema.check(tool, arguments)


def check_in(context: AppContext, tool: Tool, arguments: Arguments | None) -> Arguments:
    generation = (context.first("server") or {}).get("generation", "")
    return arguments or {} if generation.startswith(_UNCHECKED) else check(tool, arguments)


def success(tool: Tool, reply: Reply) -> Answer:
    if tool.name == "map_poi_extract":
        return Result([text_block(json.dumps(reply, indent=2))], ok=True, is_error=False, structured=reply)
    return Result([text_block(compact_json(reply))], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, InvalidArguments):
        return python_sdk.invalid_arguments(error)
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"Internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    return python_sdk.unknown_tool(name)
