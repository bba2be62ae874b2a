"""The yardstick for calls: the MCP SDK's low-level server with two tools and nothing else.

    python -m bench.bare_server http TOOLS PORT
    python -m bench.bare_server stdio TOOLS

`echo` returns its text; `note_add` inserts one row into SQLite in memory and reads it back. Further tools fill the list. The
server validates no arguments and has neither a journal nor sessions.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
from collections.abc import AsyncIterator
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

_TEXT = {"type": "string"}
_ECHO = {"type": "object", "properties": {"text": _TEXT}, "required": ["text"]}
_NOTE = {"type": "object", "properties": {"title": _TEXT, "body": _TEXT}, "required": ["title", "body"]}
_FILLER = {
    "type": "object",
    "properties": {"query": _TEXT, "limit": {"type": "integer", "minimum": 1}, "page_token": _TEXT},
    "required": ["query"],
}
Context = ServerRequestContext[Any, Any]


class Notes:
    """One table of notes."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self._database.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT, created REAL)")

    def add(self, title: str, body: str) -> dict[str, Any]:
        """Add a note and return it."""
        key = self._database.execute(
            "INSERT INTO note (title, body, created) VALUES (?, ?, 0.0)", (title, body)
        ).lastrowid
        row = self._database.execute("SELECT id, title, body, created FROM note WHERE id = ?", (key,)).fetchone()
        return dict(zip(("id", "title", "body", "created"), row, strict=True))


def build(tools: int) -> Server[Any]:
    """The server with `echo`, `note_add` and as many others as `tools` asks for."""
    notes = Notes()
    listed = [
        types.Tool(name="echo", description="Give back a text.", input_schema=_ECHO),
        types.Tool(name="note_add", description="Add a note and return it.", input_schema=_NOTE),
    ]
    for number in range(tools - len(listed)):
        description = "Find the objects of this kind that fit, a page at a time."
        listed.append(
            types.Tool(name=f"app{number % 30:02}_find_{number}", description=description, input_schema=_FILLER)
        )
    schemas = {tool.name: tool.input_schema for tool in listed}

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        given = params.arguments or {}
        reply = {"text": given["text"]} if params.name == "echo" else notes.add(given["title"], given["body"])
        return types.CallToolResult(content=[types.TextContent(type="text", text=json.dumps(reply))])

    return Server("bare", on_list_tools=list_tools, on_call_tool=call_tool, get_tool_input_schema=schemas.get)


def serve_http(tools: int, port: int) -> None:
    """Serve at /mcp, stateless and in JSON, as the gateway does."""
    import uvicorn
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.applications import Starlette
    from starlette.routing import Route
    from starlette.types import Receive, Scope, Send

    manager = StreamableHTTPSessionManager(build(tools), json_response=True, stateless=True)

    class Endpoint:
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await manager.handle_request(scope, receive, send)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    app = Starlette(routes=[Route("/mcp", Endpoint())], lifespan=lifespan)
    uvicorn.run(app, port=port, access_log=False, log_level="warning")


async def serve_stdio(tools: int) -> None:
    """Serve over stdin and stdout."""
    from mcp.server.stdio import stdio_server

    server = build(tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    if sys.argv[1] == "http":
        serve_http(int(sys.argv[2]), int(sys.argv[3]))
    else:
        anyio.run(serve_stdio, int(sys.argv[2]))
