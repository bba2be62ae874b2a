"""The MCP server behind every address: the SDK's low-level server, in both wire revisions.

The session and the toolset come with the request (over HTTP) or with the process (over stdio).
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

from soundstage.contexts.engine.journal import SESSION_USER, Caller
from soundstage.contexts.engine.problems import ContextError, ContextTaken
from soundstage.gateway.calls.call import CallResult
from soundstage.gateway.calls.fault_visibility import visible_toolset
from soundstage.gateway.calls.json_arguments import NestedTooDeeply
from soundstage.gateway.calls.service import CallService, Notify
from soundstage.gateway.calls.toolset import Toolset
from soundstage.gateway.log import log
from soundstage.gateway.mcp.introduction import introduce
from soundstage.gateway.mcp.words import invalid_params
from soundstage.gateway.notices import LEVEL, LOGGER, is_wanted
from soundstage.gateway.refusals import INTERNAL, agent_message, count_refusal
from soundstage.gateway.registry.database import RegistryUnavailable
from soundstage.gateway.revisions import is_modern
from soundstage.gateway.sessions.problems import ExpiredSession
from soundstage.gateway.sessions.session import Session

LIST_FRESH_MS = 3_600_000  # lists change only with the program
_UPSTREAM_LIST_FRESH_MS = 60_000  # an upstream's tools may change at any time
_CLIENT_SHOWN = 100  # maximum length of a client's name in a journal
_NOTHING: Mapping[str, Any] = {}
_LIST, _EMPTY_LIST = b'"tools":', b'"tools":[]'
COMPLETE = {"resultType": "complete"}  # required since 2026-07-28; for older revisions the SDK leaves it out
RequestContext = ServerRequestContext[Any, Any]
_PROMPT = types.Prompt(name="task", title="The task", description="What the user asks you to do.")


@dataclass(slots=True)
class Arrival:
    """The session, toolset and caller of a request, and instructions for its response.

    `splice_list` inserts the cached tool list into the response. `notice` is sent to the client in addition. `dropped` breaks
    the connection instead of sending the response. `elsewhere` sends nothing, because another gateway has the session now.
    `give_up` is called with a request that never gets an answer on a transport without a connection to break.
    """

    session: Session
    toolset: Toolset
    caller: Caller = SESSION_USER
    splice_list: bool = False
    notice: str | None = None
    dropped: bool = False
    elsewhere: ContextTaken | None = None
    give_up: Callable[[types.RequestId | None], None] | None = None

    @property
    def changes_answer(self) -> bool:
        """Whether the response must be modified or withheld."""
        return self.splice_list or self.dropped or self.notice is not None or self.elsewhere is not None


def with_tools(answer: bytes, toolset: Toolset) -> bytes:
    """Fill a response's empty tool list with the cached list of a toolset, which is long and constant."""
    before, _, after = answer.partition(_EMPTY_LIST)
    return b"".join((before, _LIST, toolset.tools_json, after))


def build_server(
    arrival_of: Callable[[RequestContext], Arrival], calls: CallService, *, splice: bool, errands: bool = False
) -> Server[Any]:
    """Create the server.

    With `splice`, it returns empty lists that the HTTP layer fills. With `errands`, it serves sessions that have a task and
    offers the task as a prompt.
    """

    async def list_tools(context: RequestContext, params: types.PaginatedRequestParams | None) -> Any:
        arrival = arrival_of(context)
        toolset = visible_toolset(arrival.session, arrival.toolset)
        if splice:
            arrival.toolset, arrival.splice_list = toolset, True
            if toolset.is_static:
                return types.ListToolsResult(tools=[])
            return types.ListToolsResult(tools=[], ttl_ms=_UPSTREAM_LIST_FRESH_MS)
        return {"tools": toolset.tools, **COMPLETE}

    async def call_tool(context: RequestContext, params: types.CallToolRequestParams) -> Any:
        arrival = arrival_of(context)

        async def notify(text: str) -> None:
            if context.request is None:
                await context.session.send_log_message(
                    level=LEVEL, data=text, logger=LOGGER, related_request_id=context.request_id
                )
            elif is_wanted(context.protocol_version, (context.params or {}).get("_meta")):
                arrival.notice = text

        extra_params = _NOTHING
        if not arrival.toolset.is_static:  # only upstreams use the other members
            extra_params = {k: v for k, v in (context.params or {}).items() if k not in ("name", "arguments")}
        made = await make_call(
            calls,
            arrival,
            params.name,
            params.arguments,
            client=_client(context),
            extra_params=extra_params,
            notify=notify,
        )
        if made.delivery.dropped and context.request is None:
            if arrival.give_up is not None:  # stdio has no connection to break, so the client never gets an answer
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
        content = types.TextContent(type="text", text=bounds.errand)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    server = Server(
        "apps",  # replaced by each address's own introduction below
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts if errands else None,
        on_get_prompt=get_prompt if errands else None,
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_FRESH_MS, scope="private")},
        # No simulated tool uses x-mcp-header, and without this the SDK lists all tools for every call.
        get_tool_input_schema=lambda name: None,
    )

    if not traced():
        server.middleware.clear()  # without a tracer, the SDK's spans are useless and take a tenth of a call's time

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
            introduce(result, arrival.session.record.server, arrival.toolset)
        return result

    server.middleware.append(introducing)
    return server


def traced() -> bool:
    """Whether a tracer is configured, which must receive every request."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


async def make_call(
    calls: CallService,
    arrival: Arrival,
    name: str,
    arguments: Mapping[str, Any] | None,
    *,
    client: str,
    extra_params: Mapping[str, Any] = _NOTHING,
    notify: Notify | None = None,
) -> CallResult:
    """Make a call for a request, and record in `arrival` if its answer must not be sent.

    Raises:
        MCPError: the call cannot be made.
    """
    caller = Caller(arrival.caller.user, client)
    try:
        made = await calls.make_call(
            arrival.session, arrival.toolset, name, arguments, caller=caller, extra_params=extra_params, notify=notify
        )
    except NestedTooDeeply as error:
        raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from None
    except ExpiredSession as error:  # it expired after the request arrived
        raise MCPError(code=types.INVALID_REQUEST, message=str(error)) from None
    except (ContextError, RegistryUnavailable) as error:
        arrival.elsewhere = error if isinstance(error, ContextTaken) else None
        count_refusal(error)
        if isinstance(error, RegistryUnavailable):
            log.warning("a call was refused", session=arrival.session.id, tool=name, reason=str(error))
        raise MCPError(code=types.INTERNAL_ERROR, message=agent_message(error)) from None
    arrival.dropped = arrival.dropped or made.delivery.dropped
    return made


def client_shown(name: str, version: str, revision: str) -> str:
    """Format a client for journals: its name, version and protocol revision."""
    return f"{name[:_CLIENT_SHOWN]}/{version[:_CLIENT_SHOWN]} ({revision})"


def _client(context: RequestContext) -> str:
    """Return the calling program's name, version and protocol revision, if it sent them.

    Since 2026-07-28 a client may send them with each request; before, it sends them once, and stateless HTTP does not store
    them.
    """
    params = context.session.client_params
    if params is None:
        return f"({context.protocol_version})"
    client = params.client_info
    return client_shown(client.name, client.version, context.protocol_version)


def result_of(made: CallResult, revision: str) -> dict[str, Any]:
    """Convert a call's answer to an MCP result.

    Raises:
        MCPError: the answer is a JSON-RPC error.
    """
    message = made.answer.wire()
    if "error" in message:
        error = message["error"]
        raise MCPError(code=error["code"], message=error["message"], data=error.get("data"))
    if message.get("resultType") == "input_required" and not is_modern(revision):
        text = (
            f"{made.app} {made.tool} asks for input, which needs a client of 2026-07-28 or the upstream's own address"
        )
        raise MCPError(code=types.INVALID_REQUEST, message=text)
    return {**COMPLETE, **message}
