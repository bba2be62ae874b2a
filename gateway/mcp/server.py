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
from soundstage.gateway.calls.call import CallResult, Toolset
from soundstage.gateway.calls.fault_visibility import visible_toolset
from soundstage.gateway.calls.json_arguments import NestedTooDeeply
from soundstage.gateway.calls.service import CallService, Notify
from soundstage.gateway.log import log
from soundstage.gateway.mcp.error_wording import invalid_params
from soundstage.gateway.mcp.introduction import introduce
from soundstage.gateway.notices import LEVEL, LOGGER, is_wanted
from soundstage.gateway.refusals import INTERNAL, agent_message, count_refusal
from soundstage.gateway.registry.database import RegistryUnavailable
from soundstage.gateway.revisions import is_modern
from soundstage.gateway.sessions.problems import ExpiredSession
from soundstage.gateway.sessions.session import Session

LIST_TTL_MS = 3_600_000  # lists change only with the program
_UPSTREAM_LIST_TTL_MS = 60_000  # an upstream's tools may change at any time
_MAX_CLIENT_NAME = 100  # maximum length of a client's name in a journal
_NO_PARAMS: Mapping[str, Any] = {}
_LIST, _EMPTY_LIST = b'"tools":', b'"tools":[]'
COMPLETE = {"resultType": "complete"}  # required since 2026-07-28; for older revisions the SDK leaves it out
RequestContext = ServerRequestContext[Any, Any]
_PROMPT = types.Prompt(name="task", title="The task", description="What the user asks you to do.")


@dataclass(slots=True)
class McpRequest:
    """The session, toolset and caller of a request, and instructions for its response."""

    session: Session
    toolset: Toolset
    caller: Caller = SESSION_USER
    splices_list: bool = False
    """Whether the cached tool list is inserted into the response."""
    notice: str | None = None
    """A notice that is sent to the client in addition to the response."""
    is_dropped: bool = False
    """Whether the connection is broken instead of sending the response."""
    taken_over: ContextTaken | None = None
    """Another gateway has the session now, so nothing is sent."""
    on_no_answer: Callable[[types.RequestId | None], None] | None = None
    """Called with the id of a request that never gets an answer, on a transport without a connection to break."""

    @property
    def changes_response(self) -> bool:
        """Whether the response must be modified or withheld."""
        return self.splices_list or self.is_dropped or self.notice is not None or self.taken_over is not None


def with_tools(answer: bytes, toolset: Toolset) -> bytes:
    """Fill a response's empty tool list with the cached list of a toolset, which is long and constant."""
    before, _, after = answer.partition(_EMPTY_LIST)
    return b"".join((before, _LIST, toolset.tools_json, after))


def build_server(
    request_of: Callable[[RequestContext], McpRequest], calls: CallService, *, splice: bool, offers_task: bool = False
) -> Server[Any]:
    """Create the server.

    With `splice`, it returns empty lists that the HTTP layer fills. With `offers_task`, it serves sessions that have a task and
    offers the task as a prompt.
    """

    async def list_tools(context: RequestContext, params: types.PaginatedRequestParams | None) -> Any:
        request = request_of(context)
        toolset = visible_toolset(request.session, request.toolset)
        if splice:
            request.toolset, request.splices_list = toolset, True
            if toolset.is_static:
                return types.ListToolsResult(tools=[])
            return types.ListToolsResult(tools=[], ttl_ms=_UPSTREAM_LIST_TTL_MS)
        return {"tools": toolset.tools, **COMPLETE}

    async def call_tool(context: RequestContext, params: types.CallToolRequestParams) -> Any:
        request = request_of(context)

        async def notify(text: str) -> None:
            if context.request is None:
                await context.session.send_log_message(
                    level=LEVEL, data=text, logger=LOGGER, related_request_id=context.request_id
                )
            elif is_wanted(context.protocol_version, (context.params or {}).get("_meta")):
                request.notice = text

        extra_params = _NO_PARAMS
        if not request.toolset.is_static:  # only upstreams use the other members
            extra_params = {k: v for k, v in (context.params or {}).items() if k not in ("name", "arguments")}
        result = await make_call(
            calls,
            request,
            params.name,
            params.arguments,
            client=_client(context),
            extra_params=extra_params,
            notify=notify,
        )
        if result.delivery.dropped and context.request is None:
            if request.on_no_answer is not None:  # stdio has no connection to break, so the client never gets an answer
                request.on_no_answer(context.request_id)
            await anyio.sleep_forever()
        return result_of(result, context.protocol_version)

    async def list_prompts(context: RequestContext, params: types.PaginatedRequestParams | None) -> Any:
        return types.ListPromptsResult(prompts=[_PROMPT])

    async def get_prompt(context: RequestContext, params: types.GetPromptRequestParams) -> Any:
        bounds = request_of(context).session.record.bounds
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
        on_list_prompts=list_prompts if offers_task else None,
        on_get_prompt=get_prompt if offers_task else None,
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="private")},
        # No simulated tool uses x-mcp-header, and without this the SDK lists all tools for every call.
        get_tool_input_schema=lambda name: None,
    )

    if not is_traced():
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
            request = request_of(ctx)
            introduce(result, request.session.record.server, request.toolset)
        return result

    server.middleware.append(introducing)
    return server


def is_traced() -> bool:
    """Whether a tracer is configured, which must receive every request."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


async def make_call(
    calls: CallService,
    request: McpRequest,
    name: str,
    arguments: Mapping[str, Any] | None,
    *,
    client: str,
    extra_params: Mapping[str, Any] = _NO_PARAMS,
    notify: Notify | None = None,
) -> CallResult:
    """Make a call for a request, and record in `request` if its answer must not be sent.

    Raises:
        MCPError: the call cannot be made.
    """
    caller = Caller(request.caller.user, client)
    try:
        result = await calls.make_call(
            request.session, request.toolset, name, arguments, caller=caller, extra_params=extra_params, notify=notify
        )
    except NestedTooDeeply as error:
        raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from None
    except ExpiredSession as error:  # it expired after the request arrived
        raise MCPError(code=types.INVALID_REQUEST, message=str(error)) from None
    except (ContextError, RegistryUnavailable) as error:
        request.taken_over = error if isinstance(error, ContextTaken) else None
        count_refusal(error)
        if isinstance(error, RegistryUnavailable):
            log.warning("a call was refused", session=request.session.id, tool=name, reason=str(error))
        raise MCPError(code=types.INTERNAL_ERROR, message=agent_message(error)) from None
    request.is_dropped = request.is_dropped or result.delivery.dropped
    return result


def format_client(name: str, version: str, revision: str) -> str:
    """Format a client for journals: its name, version and protocol revision."""
    return f"{name[:_MAX_CLIENT_NAME]}/{version[:_MAX_CLIENT_NAME]} ({revision})"


def _client(context: RequestContext) -> str:
    """Return the calling program's name, version and protocol revision, if it sent them.

    Since 2026-07-28 a client may send them with each request; before, it sends them once, and stateless HTTP does not store
    them.
    """
    params = context.session.client_params
    if params is None:
        return f"({context.protocol_version})"
    client = params.client_info
    return format_client(client.name, client.version, context.protocol_version)


def result_of(result: CallResult, revision: str) -> dict[str, Any]:
    """Convert a call's answer to an MCP result.

    Raises:
        MCPError: the answer is a JSON-RPC error.
    """
    message = result.answer.wire()
    if "error" in message:
        error = message["error"]
        raise MCPError(code=error["code"], message=error["message"], data=error.get("data"))
    if message.get("resultType") == "input_required" and not is_modern(revision):
        text = f"{result.app} {result.tool} asks for input, which needs a client of 2026-07-28 or the upstream's own address"
        raise MCPError(code=types.INVALID_REQUEST, message=text)
    return {**COMPLETE, **message}
