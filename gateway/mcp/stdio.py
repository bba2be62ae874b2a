"""One session over stdin and stdout, for clients that start their servers themselves."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from soundstage.gateway.calls.face import Face
from soundstage.gateway.calls.make import Calls
from soundstage.gateway.mcp.server import Arrival, build_server
from soundstage.gateway.sessions.session import Session


async def serve_stdio(
    session: Session, face: Face, calls: Calls, stdin: anyio.AsyncFile[str], stdout: anyio.AsyncFile[str]
) -> None:
    """Serve until `stdin` ends."""
    arrival = Arrival(session, face)
    server = build_server(lambda context: arrival, calls, splice=False)
    options = server.create_initialization_options()
    async with stdio_server(stdin, stdout) as (read, write):
        await server.run(read, write, options)
