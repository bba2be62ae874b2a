"""The MCP server behind every address: the SDK's low-level server, in both wire revisions.

Which session and which face a request is for comes with the request (over HTTP) or with the process (over stdio).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from contexts.engine.store import ContextError
from gateway.dispatch import Call, NestedTooDeeply, dispatch
from gateway.log import log
from gateway.mcp.faces import Face
from gateway.metrics import count_call
from gateway.sessions.session import Session
from servers.reply import ProtocolFailure

SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_LIST_FRESH_MS = 3_600_000  # lists change only with the program
_INSTRUCTIONS = (
    "Simulated apps for software agents. Every tool's name starts with its app. Nothing here reaches a real account: "
    "all changes stay in this session."
)
_COMPLETE = {"resultType": "complete"}  # 2026-07-28 demands it; for older revisions the SDK leaves it out
RequestContext = ServerRequestContext[Any, Any]


@dataclass(slots=True)
class Arrival:
    """Where a request arrived. `splice_list` asks the HTTP face to put the face's cached list into the response."""

    session: Session
    face: Face
    splice_list: bool = False


def build_server(arrival_of: Callable[[RequestContext], Arrival], *, splice: bool) -> Server[Any]:
    """The server. With `splice` it answers lists with an empty one that the HTTP face fills in."""

    async def list_tools(context: RequestContext, params: types.PaginatedRequestParams | None) -> Any:
        arrival = arrival_of(context)
        if splice:
            arrival.splice_list = True
            return types.ListToolsResult(tools=[])
        return {"tools": arrival.face.tools, **_COMPLETE}

    async def call_tool(context: RequestContext, params: types.CallToolRequestParams) -> Any:
        arrival = arrival_of(context)
        answer = call(arrival.session, arrival.face, params.name, params.arguments).answer
        if isinstance(answer, ProtocolFailure):
            raise MCPError(code=answer.code, message=answer.message, data=answer.data)
        return {**answer.wire(), **_COMPLETE}

    server = Server(
        "backlot",
        version=version("backlot"),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        cache_hints={"tools/list": CacheHint(ttl_ms=_LIST_FRESH_MS, scope="private")},
        # No simulated tool asks for x-mcp-header, and without this the SDK lists all tools for every call.
        get_tool_input_schema=lambda name: None,
    )

    async def introduce(ctx: RequestContext, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        app = arrival_of(ctx).face.alone
        if app is not None and isinstance(result, dict):
            _introduce_as(result, app.server)
        return result

    server.middleware.append(introduce)
    return server


def call(session: Session, face: Face, name: str, arguments: dict[str, Any] | None) -> Call:
    """Dispatch a call that named a tool as the face shows it, log and count it.

    Raises:
        MCPError: for a name that belongs to no app, and for a context that cannot be used.
    """
    target = face.find(name)
    if target is None:
        raise MCPError(
            code=types.INVALID_PARAMS, message=f"Unknown tool: {name}. tools/list names those at this address."
        )
    try:
        made = dispatch(session, target.app, target.tool, arguments)
    except NestedTooDeeply as error:
        raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from None
    except ContextError as error:
        log.error("call failed", session=session.id, app=target.app.name, tool=target.tool, reason=str(error))
        raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from None
    answer = made.answer
    log.info(
        "call",
        call=f"{session.id}:{made.step}",
        app=target.app.name,
        tool=target.tool,
        ok=answer.ok,
        error_kind=answer.error_kind,
        duration_us=made.duration_us,
    )
    count_call(target.app.name, target.tool, answer.error_kind, made.duration_us)
    return made


def _introduce_as(result: dict[str, Any], server: dict[str, Any]) -> None:
    """Let a lone app's server introduce itself as the real one does, in either revision."""
    if "serverInfo" in result:
        result["serverInfo"] = server
        result.pop("instructions", None)
    meta = result.get("_meta")
    if isinstance(meta, dict) and SERVER_INFO in meta:
        result["_meta"] = {**meta, SERVER_INFO: server}
