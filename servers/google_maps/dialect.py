"""How the server words things: JSON as JavaScript indents it; what fails is one flagged text. Nobody checks arguments.

Source: `dist/index.js` of @modelcontextprotocol/server-google-maps 0.6.2 on the TypeScript SDK 1.0.1.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines import javascript
from soundstage.kernels.errors import AppError
from soundstage.kernels.google_maps.rules.errors import thrown
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, text_block
from soundstage.servers.tool import Tool


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    if arguments is None:
        name = next(iter(tool.input_schema["properties"]))
        raise thrown(f"Cannot destructure property '{name}' of 'request.params.arguments' as it is undefined.")
    return arguments


def success(tool: Tool, reply: Reply) -> Answer:
    return Result([text_block(javascript.indented(javascript.plain(reply)))], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"Error: internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    return failed(f"Unknown tool: {name}", "unknown_tool")
