"""The MCP server behind every address: the SDK's low-level server, in both wire revisions.

Which session and which face a request is for comes with the request (over HTTP) or with the process (over stdio).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from opentelemetry import trace

from soundstage.contexts.engine.problems import ContextError, ContextTaken
from soundstage.gateway.dispatch import Call, NestedTooDeeply, dispatch
from soundstage.gateway.log import log
from soundstage.gateway.mcp.delivery import deliver
from soundstage.gateway.mcp.faces import Face
from soundstage.gateway.mcp.listing import listed_now
from soundstage.gateway.metrics import count_call
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.search.tools import Through
from soundstage.gateway.search.tools import answer as answer_search
from soundstage.gateway.sessions.refused import count_refusal
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.upstream.messages import is_modern
from soundstage.servers.reply import ProtocolFailure, Result

if TYPE_CHECKING:  # a server over stdio has no upstreams, and starts sooner without what they need
    from soundstage.gateway.upstream.upstream import Upstream
    from soundstage.gateway.upstream.upstreams import Upstreams

SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_LIST_FRESH_MS = 3_600_000  # lists change only with the program
_UPSTREAM_LIST_FRESH_MS = 60_000  # unless they hold an upstream's tools, which may change at any time
_INSTRUCTIONS = (
    "Simulated apps for software agents. Every tool's name starts with its app. Nothing here reaches a real account: "
    "all changes stay in this session."
)
_COMPLETE = {"resultType": "complete"}  # 2026-07-28 demands it; for older revisions the SDK leaves it out
RequestContext = ServerRequestContext[Any, Any]


@dataclass(slots=True)
class Arrival:
    """Where a request arrived. `splice_list` asks the HTTP face to put the face's cached list into the response, `dropped`
    to break the connection instead of sending it, `taken` to send nothing, because another gateway has the session now.
    """

    session: Session
    face: Face
    upstreams: Upstreams | None = None
    splice_list: bool = False
    dropped: bool = False
    taken: bool = False


def build_server(arrival_of: Callable[[RequestContext], Arrival], finder: ToolFinder, *, splice: bool) -> Server[Any]:
    """The server. With `splice` it answers lists with an empty one that the HTTP face fills in."""

    async def list_tools(context: RequestContext, params: types.PaginatedRequestParams | None) -> Any:
        arrival = arrival_of(context)
        face = listed_now(arrival.session, arrival.face)
        if splice:
            arrival.face, arrival.splice_list = face, True
            if face.lasting:
                return types.ListToolsResult(tools=[])
            return types.ListToolsResult(tools=[], ttl_ms=_UPSTREAM_LIST_FRESH_MS)
        return {"tools": face.tools, **_COMPLETE}

    async def call_tool(context: RequestContext, params: types.CallToolRequestParams) -> Any:
        arrival = arrival_of(context)
        try:
            return await answer(arrival, context, params)
        except ContextTaken as error:
            arrival.taken = True
            raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from None

    async def answer(arrival: Arrival, context: RequestContext, params: types.CallToolRequestParams) -> Any:
        name, arguments = params.name, params.arguments
        if arrival.face.searches(name):
            found = await search(arrival.session, arrival.face, finder, name, arguments)
            if not isinstance(found, Through):
                return {**found.wire(), **_COMPLETE}
            name, arguments = found.name, found.arguments
        if (outside := upstream_of(arrival, name)) is not None:
            return await call_upstream(arrival, *outside, arguments, context)
        made = call(arrival.session, arrival.face, name, arguments)
        if made.delivery is not None:
            await deliver(made.delivery, context)
            arrival.dropped = made.delivery.dropped
        if isinstance(made.answer, ProtocolFailure):
            raise MCPError(code=made.answer.code, message=made.answer.message, data=made.answer.data)
        return {**made.answer.wire(), **_COMPLETE}

    server = Server(
        "soundstage",
        version=version("soundstage"),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        cache_hints={"tools/list": CacheHint(ttl_ms=_LIST_FRESH_MS, scope="private")},
        # No simulated tool asks for x-mcp-header, and without this the SDK lists all tools for every call.
        get_tool_input_schema=lambda name: None,
    )

    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        server.middleware.clear()  # the SDK's spans, a tenth of a call's cost, go nowhere until a tracer is set up

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
        ContextTaken: when another gateway has the session now.
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
    except ContextTaken:
        raise
    except ContextError as error:
        count_refusal(error)
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


async def search(
    session: Session, face: Face, finder: ToolFinder, name: str, arguments: dict[str, Any] | None
) -> Result | Through:
    """Answer a call of a search tool, log and count it; or say which call it stands for.

    Raises:
        MCPError: for arguments nested too deeply, and for a context that cannot be used.
    """
    try:
        made = await answer_search(finder, session.context, _searched(session, face, name, arguments), name, arguments)
    except NestedTooDeeply as error:
        raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from None
    except ContextTaken:
        raise
    except ContextError as error:
        count_refusal(error)
        log.error("search failed", session=session.id, tool=name, reason=str(error))
        raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from None
    if isinstance(made, Through):
        return made
    result = made.result
    log.info(
        "search",
        call=f"{session.id}:{made.step}",
        tool=name,
        ok=result.ok,
        error_kind=result.error_kind,
        duration_us=made.duration_us,
    )
    count_call("", name, result.error_kind, made.duration_us)
    return result


def upstream_of(arrival: Arrival, name: str) -> tuple[Upstream, str] | None:
    """The upstream that a called name belongs to, and the tool's own name there."""
    if arrival.upstreams is None or arrival.face.lasting:
        return None
    target = arrival.face.find(name)
    upstream = None if target is None else arrival.upstreams.shown(arrival.session, target.app.name)
    return None if target is None or upstream is None else (upstream, target.tool)


async def call_upstream(
    arrival: Arrival, upstream: Upstream, tool: str, arguments: dict[str, Any] | None, context: RequestContext
) -> dict[str, Any]:
    """Call an upstream's tool with all that came with the request, and give back the upstream's own result.

    Raises:
        MCPError: the upstream's, or one that names it where it does not answer.
    """
    assert arrival.upstreams is not None
    came_with = {k: v for k, v in (context.params or {}).items() if k not in ("name", "arguments")}
    made = await arrival.upstreams.call(arrival.session, upstream, tool, arguments, came_with)
    if made.delivery is not None:
        await deliver(made.delivery, context)
        arrival.dropped = made.delivery.dropped
    if "error" in made.message:
        error = made.message["error"]
        raise MCPError(code=error["code"], message=error["message"], data=error.get("data"))
    result: dict[str, Any] = made.message["result"]
    if result.get("resultType") == "input_required" and not is_modern(context.protocol_version):
        text = (
            f"{upstream.name} {tool} asks for input, which needs a client of 2026-07-28 or the upstream's own address"
        )
        raise MCPError(code=types.INVALID_REQUEST, message=text)
    return {**_COMPLETE, **result}


def _searched(session: Session, face: Face, name: str, arguments: dict[str, Any] | None) -> Face:
    """The tools that a search tool knows of: those listed now; and `call_tool` reaches a vanished one, to be told so."""
    wanted = None if arguments is None else arguments.get("name")
    reachable = name == "call_tool" and isinstance(wanted, str) and wanted in face.targets
    return face if reachable else listed_now(session, face)


def _introduce_as(result: dict[str, Any], server: dict[str, Any]) -> None:
    """Let a lone app's server introduce itself as the real one does, in either revision."""
    if "serverInfo" in result:
        result["serverInfo"] = server
        result.pop("instructions", None)
    meta = result.get("_meta")
    if isinstance(meta, dict) and SERVER_INFO in meta:
        result["_meta"] = {**meta, SERVER_INFO: server}
