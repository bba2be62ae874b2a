"""The MCP addresses over HTTP: `/s/{handle}/mcp`, `/s/{handle}/{app}/mcp` and `/mcp`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

import mcp_types as types
import orjson
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from soundstage.contexts.engine.journal import NOBODY, Caller
from soundstage.gateway.access import comes_from_here, handle_shown
from soundstage.gateway.calls.make import Calls
from soundstage.gateway.cluster.placed import placing_of, stays
from soundstage.gateway.mcp.server import Arrival, RequestContext, build_server
from soundstage.gateway.refusals import REFUSALS, count_refusal, headers_of, status_of
from soundstage.gateway.sessions.problems import HeldElsewhere
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import DEFAULT_SESSION, Settings
from soundstage.gateway.upstream.passthrough import Passthrough
from soundstage.gateway.upstream.upstreams import Upstreams

_EMPTY_LIST = b'"tools":[]'
_ARRIVAL = "soundstage.arrival"


class McpAddresses:
    """The ASGI application behind all MCP addresses.

    The transport keeps nothing between requests, in either revision: clients drop `Mcp-Session-Id`, and what must be
    kept hangs on the address.
    """

    def __init__(self, sessions: Sessions, settings: Settings, calls: Calls, upstreams: Upstreams) -> None:
        self._sessions = sessions
        self._settings = settings
        self._upstreams = upstreams
        self._passthrough = Passthrough(upstreams, calls, max_body=settings.max_body)
        self._manager = StreamableHTTPSessionManager(
            build_server(_arrival_of, calls, splice=True),
            json_response=True,
            stateless=True,
            max_request_body_size=settings.max_body,
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve for as long as the block runs."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        placing = placing_of(scope)
        try:
            handle = handle_shown(scope)
            session = await self._session(handle, scope)
            seat = None if handle is None else session.seat(handle)
            caller = NOBODY if seat is None else Caller(seat.user)
            # A session goes where its own agent's requests arrive, not after those who have a seat in it.
            if seat is None and not await stays(self._sessions, session, placing):
                return
            app = scope["path_params"].get("app")
            if app is not None and (upstream := self._upstreams.shown(session, app)) is not None:
                with session.in_use():
                    await self._passthrough.serve(session, upstream, caller, scope, receive, send)
                return
            arrival = scope[_ARRIVAL] = Arrival(session, self._upstreams.face_of(session, app, seat), caller)
            # A stream that waits for notices may stay open for hours and needs no context.
            with session.in_use() if scope["method"] != "GET" else nullcontext():
                await self._manager.handle_request(scope, receive, _Splicer(arrival, send).send)
        except HTTPException as error:
            await refuse(error.status_code, error.detail)(scope, receive, send)
        except HeldElsewhere as error:
            placing.elsewhere = error
        except tuple(REFUSALS) as error:
            count_refusal(error)
            await refuse(status_of(error), str(error))(scope, receive, send)
        else:
            placing.elsewhere, placing.dropped = arrival.elsewhere, arrival.dropped

    async def _session(self, handle: str | None, scope: Scope) -> Session:
        """The session that a request shows a handle of. Without one, on this machine, the default session; and there a
        session's name will do.
        """
        here = self._settings.open_here and comes_from_here(scope)
        if handle is not None:
            found = self._sessions.live(handle, or_name=here)
            return found or await self._sessions.by_handle(handle, or_name=here)
        if not here:
            raise HTTPException(401, "name the session: Authorization: Bearer <handle>, or use /s/<handle>/mcp")
        return await self._sessions.by_name(DEFAULT_SESSION, NewSession(name=DEFAULT_SESSION))


class _Splicer:
    """Puts a face's cached list into the response that the SDK made with an empty one.

    The SDK checks the request and frames the answer; the list itself, which is long and always the same, goes through
    no model and no serialiser.
    """

    def __init__(self, arrival: Arrival, send: Send) -> None:
        self._arrival = arrival
        self._send = send
        self._start: Message | None = None

    async def send(self, message: Message) -> None:
        if self._arrival.elsewhere is not None or self._arrival.dropped:
            return  # the request goes to the gateway that has the session now, or its connection ends without an answer
        if not self._arrival.splice_list:
            await self._send(message)
            return
        if message["type"] == "http.response.start":
            self._start = message
            return
        if self._start is not None:
            body = message.get("body", b"").replace(_EMPTY_LIST, b'"tools":' + self._arrival.face.tools_json, 1)
            headers = [(k, v) for k, v in self._start["headers"] if k != b"content-length"]
            await self._send({**self._start, "headers": [*headers, (b"content-length", b"%d" % len(body))]})
            self._start = None
            message = {**message, "body": body}
        await self._send(message)


def _arrival_of(context: RequestContext) -> Arrival:
    assert context.request is not None
    arrival: Arrival = context.request.scope[_ARRIVAL]
    return arrival


def refuse(status: int, message: str) -> Response:
    """A refusal that an MCP client can show: a JSON-RPC error that belongs to no request."""
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": types.INVALID_REQUEST, "message": message}}
    return Response(orjson.dumps(error), status, headers_of(status), "application/json")
