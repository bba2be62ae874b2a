"""Serve one session over stdin and stdout, for clients that start their servers themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import TypeVar

import anyio
import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from soundstage.gateway.calls.call import Toolset
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.log import log
from soundstage.gateway.mcp.server import McpRequest, RequestContext, build_server
from soundstage.gateway.refusals import REFUSALS, agent_message
from soundstage.gateway.sessions.session import Session

_DRAIN_S = 30.0
"""Seconds that pending calls may take after the client has closed stdin."""
FindSession = Callable[[str], Awaitable[Session]]
T = TypeVar("T", bound="_Wrapped")


async def serve_stdio(
    session: Session,
    find: FindSession,
    toolset: Toolset,
    calls: CallService,
    stdin: anyio.AsyncFile[str],
    stdout: anyio.AsyncFile[str],
) -> None:
    """Serve until `stdin` ends and the client has its answers. `find` looks up the session before each call."""
    request = McpRequest(session, toolset)
    server = build_server(lambda context: request, calls, splice=False)

    async def look(ctx: RequestContext, call_next: CallNext) -> HandlerResult:
        if ctx.method == "tools/call":  # a gateway may have deleted or replaced the file
            try:
                request.session = await find(session.record.handle)
            except tuple(REFUSALS) as error:
                log.warning("a call was refused", session=session.id, reason=str(error))
                raise MCPError(code=types.INTERNAL_ERROR, message=agent_message(error)) from None
        return await call_next(ctx)

    server.middleware.append(look)
    options = server.create_initialization_options()
    async with stdio_server(stdin, stdout) as (read, write):
        requests = _Requests(read)
        request.on_no_answer = requests.answered
        await server.run(requests, _Answers(write, requests), options)


class _Wrapped:
    """Base class of the two streams between the client and the server."""

    def __init__(self, stream: ReadStream[SessionMessage | Exception] | WriteStream[SessionMessage]) -> None:
        self._stream = stream

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self: T) -> T:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Requests(_Wrapped):
    """The client's requests. The end of the stream is delayed until earlier requests are answered.

    At the end of the stream the SDK cancels running calls, so a call that is done and recorded would never be answered.
    """

    def __init__(self, stream: ReadStream[SessionMessage | Exception]) -> None:
        super().__init__(stream)
        self._received = stream
        self._open: set[types.RequestId] = set()
        self._all_answered = anyio.Event()

    def answered(self, request: types.RequestId | None) -> None:
        """Stop waiting for the answer to this request."""
        if request is not None:
            self._open.discard(request)
        if not self._open:
            self._all_answered.set()

    async def receive(self) -> SessionMessage | Exception:
        try:
            item = await self._received.receive()
        except anyio.EndOfStream:
            if self._open:
                self._all_answered = anyio.Event()
                with anyio.move_on_after(_DRAIN_S):
                    await self._all_answered.wait()
            raise
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, types.JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            with suppress(TypeError):  # an id of a wrong type belongs to no request
                self.answered((message.params or {}).get("requestId"))
        return item

    def __aiter__(self) -> _Requests:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class _Answers(_Wrapped):
    """The server's answers to the client."""

    def __init__(self, stream: WriteStream[SessionMessage], requests: _Requests) -> None:
        super().__init__(stream)
        self._sent = stream
        self._requests = requests

    async def send(self, item: SessionMessage, /) -> None:
        await self._sent.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
            self._requests.answered(item.message.id)
