"""The MCP addresses over HTTP: `/s/{handle}/mcp`, `/s/{handle}/{app}/mcp` and `/mcp`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

import mcp_types as types
import orjson
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from soundstage.contexts.engine.problems import ContextError, DiskFull
from soundstage.gateway.cluster.placed import placing_of, stays
from soundstage.gateway.guard import LATER
from soundstage.gateway.mcp.faces import app_face, shared_face
from soundstage.gateway.mcp.server import Arrival, RequestContext, build_server
from soundstage.gateway.registry.database import RegistryUnavailable
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.problems import (
    Draining,
    ExpiredSession,
    HeldElsewhere,
    LowOnDisk,
    NoRoom,
    TooManySessions,
    UnknownSession,
)
from soundstage.gateway.sessions.refused import count_refusal
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import DEFAULT_SESSION, Settings
from soundstage.gateway.upstream.passthrough import Passthrough
from soundstage.gateway.upstream.upstreams import Upstreams

_EMPTY_LIST = b'"tools":[]'
_ARRIVAL = "soundstage.arrival"
_STATUS: dict[type[Exception], int] = {DiskFull: 507, LowOnDisk: 507, TooManySessions: 429}


class AddressError(Exception):
    """A request that leads to no session or app: the HTTP status and what to tell the client."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class McpAddresses:
    """The ASGI application behind all MCP addresses.

    The transport keeps nothing between requests, in either revision: clients drop `Mcp-Session-Id`, and what must be
    kept hangs on the address.
    """

    def __init__(self, sessions: Sessions, settings: Settings, finder: ToolFinder, upstreams: Upstreams) -> None:
        self._sessions = sessions
        self._settings = settings
        self._upstreams = upstreams
        self._passthrough = Passthrough(upstreams, max_body=settings.max_body)
        self._manager = StreamableHTTPSessionManager(
            build_server(_arrival_of, finder, splice=True),
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
            session = await self._session(scope["path_params"].get("handle"), scope)
            if not await stays(self._sessions, session, placing):
                return
            app = scope["path_params"].get("app")
            if app is not None and (upstream := self._upstreams.shown(session, app)) is not None:
                with session.in_use():
                    await self._passthrough.serve(session, upstream, scope, receive, send)
                return
            arrival = scope[_ARRIVAL] = self._arrive(session, app)
            # A stream that waits for notices may stay open for hours and needs no context.
            with session.in_use() if scope["method"] != "GET" else nullcontext():
                await self._manager.handle_request(scope, receive, _Splicer(arrival, send).send)
        except AddressError as error:
            await refuse(error.status, str(error))(scope, receive, send)
        except HeldElsewhere as error:
            placing.elsewhere = error
        except RegistryUnavailable as error:  # the lease could not be given back
            await refuse(503, str(error))(scope, receive, send)
        else:
            placing.taken = arrival.taken

    def _arrive(self, session: Session, app: str | None) -> Arrival:
        upstreams = self._upstreams.shown_to(session)
        if app is None:
            face = self._upstreams.faces.with_upstreams(shared_face(session.apps, session.record.tools), upstreams)
            return Arrival(session, face, self._upstreams)
        if app not in session.apps:
            known = ", ".join([*session.apps, *(u.name for u in upstreams)])
            raise AddressError(404, f"this session has no app {app!r}; it has: {known}")
        return Arrival(session, app_face(app))

    async def _session(self, handle: str | None, scope: Scope) -> Session:
        try:
            if handle is not None:
                return self._sessions.live(handle) or await self._sessions.by_handle(handle)
            scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
            if token:
                if scheme.lower() != "bearer":
                    raise AddressError(
                        401, f"the scheme {scheme!r} is not known here; use Authorization: Bearer <handle>"
                    )
                return await self._sessions.by_handle(token.strip())
            if not self._settings.loopback:
                raise AddressError(401, "name the session: Authorization: Bearer <handle>, or use /s/<handle>/mcp")
            return await self._sessions.by_name(DEFAULT_SESSION, NewSession(name=DEFAULT_SESSION))
        except ExpiredSession as error:
            raise AddressError(410, str(error)) from None
        except UnknownSession as error:
            raise AddressError(404, str(error)) from None
        except (ContextError, Draining, NoRoom, RegistryUnavailable) as error:
            count_refusal(error)
            raise AddressError(_STATUS.get(type(error), 503), str(error)) from None


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
        if self._arrival.taken:
            return  # nobody has been answered: the request goes to the gateway that has the session now
        if self._arrival.dropped:
            # A response that never ends as announced makes the server close the connection.
            if message["type"] == "http.response.start":
                await self._send(message)
            return
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
    headers = {401: {"WWW-Authenticate": "Bearer"}, 503: LATER}.get(status)
    return Response(orjson.dumps(error), status_code=status, media_type="application/json", headers=headers)
