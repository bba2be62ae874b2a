"""The MCP addresses over HTTP: `/s/{handle}/mcp`, `/s/{handle}/{app}/mcp` and `/mcp`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import mcp_types as types
import orjson
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from soundstage.contexts.engine.journal import SESSION_USER, Caller
from soundstage.contexts.engine.problems import ContextDamaged
from soundstage.gateway.access import comes_from_here, handle_shown
from soundstage.gateway.bodies import replay_message
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.cluster.router import answers_here, routing_of
from soundstage.gateway.delivery import unless_ended
from soundstage.gateway.log import log
from soundstage.gateway.mcp import fast_path
from soundstage.gateway.mcp.error_wording import ErrorRewriter
from soundstage.gateway.mcp.server import McpRequest, RequestContext, build_server, with_tools
from soundstage.gateway.notices import EVENT_STREAM, Streams, event_bytes, notification, takes_events
from soundstage.gateway.refusals import REFUSALS, agent_message, count_refusal, headers_of, status_of
from soundstage.gateway.revisions import is_modern
from soundstage.gateway.sessions.problems import OwnedElsewhere, UnknownSession
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import DEFAULT_SESSION, Settings
from soundstage.gateway.upstream.passthrough import Passthrough
from soundstage.gateway.upstream.upstreams import Upstreams

_REQUEST_KEY = "soundstage.mcp_request"
_VERSION = "mcp-protocol-version"


class McpAddresses:
    """The ASGI application behind all MCP addresses.

    The transport is stateless in both revisions: clients drop `Mcp-Session-Id`, so all state is selected by the address.
    Request bodies arrive in one piece.
    """

    def __init__(self, sessions: Sessions, settings: Settings, calls: CallService, upstreams: Upstreams) -> None:
        self._sessions = sessions
        self._settings = settings
        self._upstreams = upstreams
        self._streams = Streams()
        self._calls = calls
        self._fast_path_enabled = fast_path.is_enabled()
        self._passthrough = Passthrough(upstreams, calls, sessions.wait_until_ended)
        self._default_sdk, self._task_sdk = (
            StreamableHTTPSessionManager(
                build_server(_request_of, calls, splice=True, offers_task=offers_task),
                json_response=True,
                stateless=True,
            )
            for offers_task in (False, True)
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Run the SDK's session managers during the block."""
        async with self._default_sdk.run(), self._task_sdk.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        routing = routing_of(scope)
        try:
            handle = handle_shown(scope)
            session = await self._session(handle, scope)
            seat = None if handle is None else session.seat(handle)
            caller = SESSION_USER if seat is None else Caller(seat.user)
            # A session moves to its own agent's gateway; requests of seats do not count.
            if seat is None and not await answers_here(self._sessions, session, routing):
                return
            app = scope["path_params"].get("app")
            if app is not None and (upstream := self._upstreams.shown(session, app)) is not None:
                with session.in_use():
                    await self._passthrough.serve(session, upstream, caller, scope, receive, send)
                return
            request = scope[_REQUEST_KEY] = McpRequest(session, self._upstreams.toolset_of(session, app, seat), caller)
            if scope["method"] == "GET":  # a stream, which may stay open for hours and needs no context
                with self._streams.held_by((session.id, caller.user), ErrorRewriter(scope, send).send) as begin:
                    serving = partial(self._sdk(request), scope, receive)
                    await unless_ended(self._sessions.wait_until_ended(session), serving, begin)
                return
            with session.in_use():
                await self._answer(request, scope, receive, send)
        except HTTPException as error:
            await refuse(error.status_code, error.detail)(scope, receive, send)
        except OwnedElsewhere as error:
            routing.elsewhere = error
        except tuple(REFUSALS) as error:
            count_refusal(error)
            message = agent_message(error)
            if message != str(error) and not isinstance(error, ContextDamaged):  # which is logged where it is found
                log.warning("request refused", method=scope["method"], reason=str(error))
            # By its path a session is an address, and a missing one is not found; by a bearer token it is a credential.
            by_token = type(error) is UnknownSession and "handle" not in scope["path_params"]
            await refuse(401 if by_token else status_of(error), message, error)(scope, receive, send)
        else:
            routing.elsewhere, routing.dropped = request.taken_over, request.is_dropped

    async def _answer(self, request: McpRequest, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, on the fast path if it is simple."""
        if self._fast_path_enabled and request.toolset.is_static:
            message = await receive()
            if (simple := fast_path.parse(scope, message.get("body", b""))) is not None:
                response = await fast_path.answer(simple, request, self._calls)
                if response.status != 200 or request.changes_response:
                    send = self._wrap(request, scope, send)
                await response.send(send)
                return
            receive = replay_message(message, receive)
        await self._sdk(request)(scope, receive, self._wrap(request, scope, send))

    def _wrap(self, request: McpRequest, scope: Scope, send: Send) -> Send:
        """Wrap `send`: reword SDK errors, and splice in the tool list or a notice."""
        return _Splicer(request, scope, self._streams, ErrorRewriter(scope, send).send).send

    def _sdk(self, request: McpRequest) -> ASGIApp:
        """Return the SDK's application for a toolset, without its own body limit, which would buffer bodies once more."""
        return (self._task_sdk if request.toolset.has_submit_answer else self._default_sdk).asgi_app.app

    async def _session(self, handle: str | None, scope: Scope) -> Session:
        """Return the session of the request's handle.

        Local requests may use a session's name as a handle, and get the default session without one.
        """
        if handle is not None and (session := self._sessions.live(handle)) is not None:
            return session
        here = self._settings.open_here and comes_from_here(scope)
        if handle is not None:
            return await self._sessions.by_handle(handle, or_name=here)
        if not here:
            raise HTTPException(401, "name the session: Authorization: Bearer <handle>, or use /s/<handle>/mcp")
        return await self._sessions.by_name(DEFAULT_SESSION, NewSession(name=DEFAULT_SESSION, tools=None))


class _Splicer:
    """Inserts into a response the parts that were left out: the cached tool list, and a notice.

    The SDK checks the request and frames the answer; the list itself, which is long and constant, passes through no model and
    no serializer. A notice without an open stream turns the response into an event stream, if the client accepts one.
    """

    def __init__(self, request: McpRequest, scope: Scope, streams: Streams, send: Send) -> None:
        self._request = request
        self._scope = scope
        self._streams = streams
        self._send = send
        self._start: Message | None = None

    async def send(self, message: Message) -> None:
        request = self._request
        if request.taken_over is not None or request.is_dropped:
            return  # the request goes to the session's new gateway, or its connection ends without an answer
        if not request.splices_list and request.notice is None:
            await self._send(message)
            return
        if message["type"] == "http.response.start":
            self._start = message
            return
        if self._start is not None:
            start, body = self._start, message.get("body", b"")
            self._start = None
            headers = [(k, v) for k, v in start["headers"] if k != b"content-length"]
            if request.splices_list:
                body = with_tools(body, request.toolset)
            elif (notice := await self._notice()) is not None:
                headers = [*((k, v) for k, v in headers if k != b"content-type"), *EVENT_STREAM]
                body = event_bytes(notice) + event_bytes(body)
            await self._send({**start, "headers": [*headers, (b"content-length", b"%d" % len(body))]})
            message = {**message, "body": body}
        await self._send(message)

    async def _notice(self) -> dict[str, Any] | None:
        """Return the notice to send with the answer; None if there is none or an open stream has taken it."""
        request = self._request
        headers, notice = Headers(scope=self._scope), notification(str(request.notice))
        whose = (request.session.id, request.caller.user)
        if not is_modern(headers.get(_VERSION)) and await self._streams.tell(whose, notice):
            return None
        return notice if takes_events(headers) else None


def _request_of(context: RequestContext) -> McpRequest:
    assert context.request is not None
    request: McpRequest = context.request.scope[_REQUEST_KEY]
    return request


def refuse(status: int, message: str, why: Exception | None = None) -> Response:
    """Create an error response that MCP clients can display: a JSON-RPC error without a request id."""
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": types.INVALID_REQUEST, "message": message}}
    return Response(orjson.dumps(error), status, headers_of(status, why), "application/json")
