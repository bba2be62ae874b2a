"""One session over stdin and stdout, for clients that start their servers themselves."""

from __future__ import annotations

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from soundstage.gateway.calls.face import Face
from soundstage.gateway.calls.make import Calls
from soundstage.gateway.mcp.server import Arrival, RequestContext, build_server
from soundstage.gateway.refusals import REFUSALS
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions


async def serve_stdio(sessions: Sessions, session: Session, face: Face, calls: Calls) -> None:
    """Serve until the client closes stdin."""
    arrival = Arrival(session, face)
    server = build_server(lambda context: arrival, calls, splice=False)

    async def find(ctx: RequestContext, call_next: CallNext) -> HandlerResult:
        if ctx.method == "tools/call":  # the file may have been deleted, or made anew by a gateway
            try:
                handle = session.record.handle
                arrival.session = sessions.live(handle) or await sessions.by_handle(handle)
            except tuple(REFUSALS) as error:
                raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from None
        return await call_next(ctx)

    server.middleware.append(find)
    options = server.create_initialization_options()
    async with stdio_server() as (read, write):
        await server.run(read, write, options)
