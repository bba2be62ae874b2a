"""The server's dialect: JSON indented like JavaScript; a failure is one text, marked as an error. Arguments are not validated.

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
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    if arguments is None:
        name = next(iter(tool.input_schema["properties"]))
        raise thrown(f"Cannot destructure property '{name}' of 'request.params.arguments' as it is undefined.")
    return arguments


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return Result([text_block(javascript.indented(javascript.plain(reply)))], ok=True, is_error=False)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    return failed(error.message, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"Error: internal error ({call_id})", "internal")


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return failed(f"Unknown tool: {name}", "unknown_tool")
