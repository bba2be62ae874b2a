"""The MCP server behind every address: the SDK's low-level server, in both wire revisions.

Which session and which face a request is for comes with the request (over HTTP) or with the process (over stdio).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from opentelemetry import trace
from pydantic import ValidationError

from soundstage.contexts.engine.journal import NOBODY, Caller
from soundstage.contexts.engine.problems import ContextError, ContextTaken
from soundstage.gateway.calls.call import Call
from soundstage.gateway.calls.face import Face
from soundstage.gateway.calls.listing import listed_now
from soundstage.gateway.calls.make import Calls, Notify
from soundstage.gateway.calls.plain import NestedTooDeeply
from soundstage.gateway.log import log
from soundstage.gateway.mcp.introduction import introduce
from soundstage.gateway.mcp.words import invalid_params
from soundstage.gateway.notices import LEVEL, LOGGER, is_wanted
from soundstage.gateway.refusals import INTERNAL, agent_message, count_refusal
from soundstage.gateway.revisions import is_modern
from soundstage.gateway.sessions.problems import ExpiredSession
from soundstage.gateway.sessions.session import Session

LIST_FRESH_MS = 3_600_000  # lists change only with the program
_UPSTREAM_LIST_FRESH_MS = 60_000  # unless they hold an upstream's tools, which may change at any time
_CLIENT_SHOWN = 100  # characters that a journal keeps of what a client calls itself
_NOTHING: Mapping[str, Any] = {}
_LIST, _EMPTY_LIST = b'"tools":', b'"tools":[]'
COMPLETE = {"resultType": "complete"}  # 2026-07-28 demands it; for older revisions the SDK leaves it out
RequestContext = ServerRequestContext[Any, Any]
_PROMPT = types.Prompt(name="task", title="The task", description="What the user asks you to do.")


@dataclass(slots=True)
class Arrival:
    """Where a request arrived, and who sends it. `splice_list` asks the HTTP face to put the face's cached list into the
    response, `notice` to tell the client this beside it, `dropped` to break the connection instead of sending it; `elsewhere`
    to send nothing, because another gateway has the session now. `give_up` is told of a request that will have no answer where
    there is no connection to break.
    """

    session: Session
    face: Face
    caller: Caller = NOBODY
    splice_list: bool = False
    notice: str | None = None
    dropped: bool = False
    elsewhere: ContextTaken | None = None
    give_up: Callable[[types.RequestId | None], None] | None = None

    @property
    def changes_answer(self) -> bool:
        """Whether what was answered is not to be sent as it is."""
        return self.splice_list or self.dropped or self.notice is not None or self.elsewhere is not None


def with_tools(answer: bytes, face: Face) -> bytes:
    """A response with an empty list of tools, filled with those of a face, which are long and always the same."""
    before, _, after = answer.partition(_EMPTY_LIST)
    return b"".join((before, _LIST, face.tools_json, after))


def build_server(
    arrival_of: Callable[[RequestContext], Arrival], calls: Calls, *, splice: bool, errands: bool = False
) -> Server[Any]:
    """The server. With `splice` it answers lists with an empty one that the HTTP face fills in; with `errands` it is for sessions
    that have one, and shows it as a prompt.
    """

    async def list_tools(context: RequestContext, params: types.PaginatedRequestParams | None) -> Any:
        arrival = arrival_of(context)
        face = listed_now(arrival.session, arrival.face)
        if splice:
            arrival.face, arrival.splice_list = face, True
            if face.lasting:
                return types.ListToolsResult(tools=[])
            return types.ListToolsResult(tools=[], ttl_ms=_UPSTREAM_LIST_FRESH_MS)
        return {"tools": face.tools, **COMPLETE}

    async def call_tool(context: RequestContext, params: types.CallToolRequestParams) -> Any:
        arrival = arrival_of(context)

        async def notify(text: str) -> None:
            if context.request is None:
                await context.session.send_log_message(
                    level=LEVEL, data=text, logger=LOGGER, related_request_id=context.request_id
                )
            elif is_wanted(context.protocol_version, (context.params or {}).get("_meta")):
                arrival.notice = text

        came_with = _NOTHING
        if not arrival.face.lasting:  # only upstreams make something of it
            came_with = {k: v for k, v in (context.params or {}).items() if k not in ("name", "arguments")}
        made = await make_call(
            calls,
            arrival,
            params.name,
            params.arguments,
            client=_client(context),
            came_with=came_with,
            notify=notify,
        )
        if made.delivery.dropped and context.request is None:
            if arrival.give_up is not None:  # over stdio there is no connection to break, so nothing ever comes
                arrival.give_up(context.request_id)
            await anyio.sleep_forever()
        return result_of(made, context.protocol_version)

    async def list_prompts(context: RequestContext, params: types.PaginatedRequestParams | None) -> Any:
        return types.ListPromptsResult(prompts=[_PROMPT])

    async def get_prompt(context: RequestContext, params: types.GetPromptRequestParams) -> Any:
        bounds = arrival_of(context).session.record.bounds
        if params.name != _PROMPT.name or bounds is None or bounds.errand is None:
            raise MCPError(
                code=types.INVALID_PARAMS, message=f"there is no prompt {params.name!r:.100}; there is: task"
            )
        said = types.TextContent(type="text", text=bounds.errand)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=said)])

    server = Server(
        "apps",  # each address introduces itself in its own words, below
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts if errands else None,
        on_get_prompt=get_prompt if errands else None,
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_FRESH_MS, scope="private")},
        # No simulated tool asks for x-mcp-header, and without this the SDK lists all tools for every call.
        get_tool_input_schema=lambda name: None,
    )

    if not traced():
        server.middleware.clear()  # the SDK's spans, a tenth of a call's cost, go nowhere until a tracer is set up

    async def introducing(ctx: RequestContext, call_next: CallNext) -> HandlerResult:
        try:
            result = await call_next(ctx)
        except ValidationError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=invalid_params(ctx.method, error), data="") from None
        except MCPError:
            raise
        except Exception:
            if is_modern(ctx.protocol_version):
                raise  # the SDK logs it and hides its message
            log.exception("a request failed", method=ctx.method)
            raise MCPError(code=0, message=INTERNAL) from None  # the code that the SDK uses for older revisions
        if isinstance(result, dict):
            arrival = arrival_of(ctx)
            introduce(result, arrival.session.record.server, arrival.face)
        return result

    server.middleware.append(introducing)
    return server


def traced() -> bool:
    """Whether somebody has set up a tracer, which is then to hear of every request."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


async def make_call(
    calls: Calls,
    arrival: Arrival,
    name: str,
    arguments: Mapping[str, Any] | None,
    *,
    client: str,
    came_with: Mapping[str, Any] = _NOTHING,
    notify: Notify | None = None,
) -> Call:
    """Make a call that has arrived, and leave word in `arrival` where its answer must not be sent.

    Raises:
        MCPError: when it cannot be made.
    """
    caller = Caller(arrival.caller.user, client)
    try:
        made = await calls.make_call(
            arrival.session, arrival.face, name, arguments, caller=caller, came_with=came_with, notify=notify
        )
    except NestedTooDeeply as error:
        raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from None
    except ExpiredSession as error:  # between its arrival and now
        raise MCPError(code=types.INVALID_REQUEST, message=str(error)) from None
    except ContextError as error:
        arrival.elsewhere = error if isinstance(error, ContextTaken) else None
        count_refusal(error)
        raise MCPError(code=types.INTERNAL_ERROR, message=agent_message(error)) from None
    arrival.dropped = arrival.dropped or made.delivery.dropped
    return made


def client_shown(name: str, version: str, revision: str) -> str:
    """A client as journals name it: what it calls itself, and the revision that it speaks."""
    return f"{name[:_CLIENT_SHOWN]}/{version[:_CLIENT_SHOWN]} ({revision})"


def _client(context: RequestContext) -> str:
    """The program that called: its name, its version and the revision that it speaks, as far as it says so.

    Since 2026-07-28 a client may say it with each request, before it does so once, which over HTTP is kept nowhere.
    """
    said = context.session.client_params
    if said is None:
        return f"({context.protocol_version})"
    client = said.client_info
    return client_shown(client.name, client.version, context.protocol_version)


def result_of(made: Call, revision: str) -> dict[str, Any]:
    """A call's answer as MCP's result.

    Raises:
        MCPError: for an answer on JSON-RPC's error channel.
    """
    said = made.answer.wire()
    if "error" in said:
        error = said["error"]
        raise MCPError(code=error["code"], message=error["message"], data=error.get("data"))
    if said.get("resultType") == "input_required" and not is_modern(revision):
        text = (
            f"{made.app} {made.tool} asks for input, which needs a client of 2026-07-28 or the upstream's own address"
        )
        raise MCPError(code=types.INVALID_REQUEST, message=text)
    return {**COMPLETE, **said}
