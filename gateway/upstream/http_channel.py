"""Messages between one session and an upstream over streamable HTTP, passed through byte for byte.

Revision 2026-07-28 is stateless. In earlier ones a client opens an MCP transport session, in which the server has state. Here
the address selects it: a client that repeats the same `initialize`, or drops its session id, gets the existing transport
session.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpcore2
import orjson

from soundstage.gateway.upstream.config import UrlServer
from soundstage.gateway.upstream.exchange import JSON_TYPE, Incoming, Reply, new_session_id
from soundstage.gateway.upstream.messages import (
    LEGACY_VERSION,
    MAX_MESSAGE,
    MODERN_VERSION,
    SESSION_HEADER,
    VERSION_HEADER,
    Event,
    EventReader,
    Message,
    UpstreamFailure,
    is_response,
    parse_message,
)
from soundstage.gateway.upstream.network import AddressNotAllowed, Header, Network, UnfollowedRedirect, header_of
from soundstage.gateway.upstream.recording import UpstreamCall
from soundstage.gateway.upstream.upstream import CLIENT_INFO, Upstream, envelope, without_envelope

_PASSED_ON = ("accept", "content-type", "last-event-id", "traceparent", "tracestate", "baggage")
_ACCEPT = "application/json, text/event-stream"
_CLOSE_S = 2.0
MAX_CLIENTS = 1000
"""Maximum number of clients of a session that a channel distinguishes; some never announce their end."""


class UnknownTransportSession(Exception):
    """The client names a transport session that does not exist (any more); it must initialize again."""


@dataclass(slots=True, eq=False)
class Transport:
    """One MCP transport session with the upstream. `id` is None if the upstream is stateless.

    `hello` are the parameters of its initialization and `answer` the response. `calls` wait for an answer on any stream;
    `in_flight` are the ids of running requests, `streams` counts open GETs.
    """

    id: str | None
    hello: bytes
    answer: Message
    in_flight: dict[Any, asyncio.Event] = field(default_factory=dict)
    calls: dict[Any, UpstreamCall] = field(default_factory=dict)
    streams: int = 0
    initialized: bool = False

    @property
    def version(self) -> str:
        """The protocol version that the upstream chose."""
        return str(self.answer.get("result", {}).get("protocolVersion", LEGACY_VERSION))


class HttpChannel:
    """The connections of one session to one upstream."""

    def __init__(self, upstream: Upstream, network: Network) -> None:
        assert isinstance(upstream.declaration.server, UrlServer)
        self._upstream = upstream
        self._server = upstream.declaration.server
        self._network = network
        self._transports: list[Transport] = []  # most recently used last
        self._fronts: dict[str, Transport] = {}  # by the session id given to the client
        self._opening = asyncio.Lock()
        self._requests = 0
        self.used = asyncio.get_running_loop().time()

    @property
    def busy(self) -> bool:
        """Whether a request is running."""
        return self._requests > 0

    async def serve(self, incoming: Incoming, reply: Reply) -> None:
        """Answer one request of a client.

        Raises:
            UpstreamFailure: no answer arrived; nothing has been sent then, or a stream has begun.
            UnknownTransportSession: see there.
        """
        with self._use():
            if incoming.modern:
                await self._pass(incoming, reply, None)
            elif incoming.method == "POST" and incoming.message.get("method") == "initialize":
                await self._initialize(incoming, reply)
            elif incoming.method == "DELETE":
                await self._leave(incoming, reply)
            else:
                await self._pass_in_session(incoming, reply)

    async def request(self, method: str, params: dict[str, Any]) -> Message:
        """Send a request of the gateway itself and wait for the answer.

        Raises:
            UpstreamFailure: no answer arrived.
        """
        with self._use():
            if self._upstream.modern is None:
                await self._probe()
            if self._upstream.modern:
                return await self._ask(method, {**params, "_meta": envelope(params)}, None)
            params = without_envelope(params)
            try:
                return await self._ask(method, params, await self._transport())
            except UnknownTransportSession:
                return await self._ask(method, params, await self._transport())

    async def close(self) -> None:
        """End the transport sessions, unless the upstream no longer answers."""
        transports, self._transports = self._transports, []
        self._fronts.clear()
        for transport in transports:
            if transport.id is None:
                continue
            with suppress(UpstreamFailure, TimeoutError):
                async with asyncio.timeout(_CLOSE_S), self._stream("DELETE", self._session_headers(transport), None):
                    pass

    # -- passing through ------------------------------------------------------------------------------------------------

    async def _initialize(self, incoming: Incoming, reply: Reply) -> None:
        hello = orjson.dumps(incoming.params, option=orjson.OPT_SORT_KEYS)
        idle = next((t for t in self._transports if t.hello == hello and not t.streams and not t.in_flight), None)
        if idle is None:
            answer, session_id = await self._post(incoming.message, _passed_on(incoming))
            if "error" in answer:
                await reply.message(answer)
                return
            idle = Transport(session_id, hello, answer)
            self._transports.append(idle)
        front: list[Header] = []
        if idle.id is not None:
            name = new_session_id()
            self._fronts[name] = idle
            if len(self._fronts) > MAX_CLIENTS:  # the oldest client would have to initialize again
                del self._fronts[next(iter(self._fronts))]
            front.append((SESSION_HEADER.encode(), name.encode()))
        await reply.message({**idle.answer, "id": incoming.message.get("id")}, 200, front)

    async def _leave(self, incoming: Incoming, reply: Reply) -> None:
        """End a client's session. The upstream's session continues for the next client, until it is idle for long."""
        if incoming.session_id is None:
            await self._pass(incoming, reply, None)
        elif self._fronts.pop(incoming.session_id, None) is None:
            raise UnknownTransportSession
        else:
            await reply.whole(200)

    async def _pass_in_session(self, incoming: Incoming, reply: Reply) -> None:
        named = incoming.session_id
        if named is not None:
            transport = self._fronts.get(named)
            if transport is None:
                raise UnknownTransportSession
        else:
            transport = await self._transport()
        if incoming.message.get("method") == "notifications/initialized":
            if transport.initialized:
                await reply.whole(202)
                return
            transport.initialized = True
        try:
            async with self._turn(transport, incoming):
                await self._pass(incoming, reply, transport)
        except UnknownTransportSession:
            if named is not None:
                raise
            transport = await self._transport()
            async with self._turn(transport, incoming):
                await self._pass(incoming, reply, transport)

    @asynccontextmanager
    async def _turn(self, transport: Transport, incoming: Incoming) -> AsyncIterator[None]:
        """Serialize requests with the same id, because several clients may share a transport session."""
        if incoming.method == "GET":
            transport.streams += 1
            try:
                yield
            finally:
                transport.streams -= 1
            return
        if not incoming.is_request:
            yield
            return
        key = _key(incoming.message["id"])
        while (other := transport.in_flight.get(key)) is not None:
            await other.wait()
        done = transport.in_flight[key] = asyncio.Event()
        try:
            yield
        finally:
            del transport.in_flight[key]
            done.set()

    async def _pass(self, incoming: Incoming, reply: Reply, transport: Transport | None) -> None:
        session_headers = self._session_headers(transport)
        replaced = {name for name, _ in session_headers}
        headers = [*(h for h in _passed_on(incoming) if h[0] not in replaced), *session_headers]
        wanted = _key(incoming.message["id"]) if incoming.is_request else None
        endless = incoming.method == "GET" or incoming.message.get("method") == "subscriptions/listen"
        body = incoming.body if incoming.method == "POST" else None
        try:
            async with (
                self._patience(None if endless else self._upstream.declaration.timeout_s) as restart,
                self._stream(incoming.method, headers, body) as response,
            ):
                self._check_session(response, transport)
                if _media_type(response) == "text/event-stream" and response.status == 200:
                    await self._pass_events(response, reply, incoming.call, wanted, transport, restart)
                else:
                    await self._pass_body(response, reply, incoming, wanted)
        except asyncio.CancelledError:
            if incoming.call is not None:  # the client has disconnected, and the upstream's answer is lost
                incoming.call.unanswered("cancelled", None)
            raise

    async def _pass_body(self, response: httpcore2.Response, reply: Reply, incoming: Incoming, wanted: Any) -> None:
        data = await _read(response)
        message = parse_message(data) if data else None
        if message is not None and is_response(message) and (wanted is None or _answers(message, wanted)):
            if incoming.call is not None:
                incoming.call.answered(message)
            await reply.whole(response.status, data, [JSON_TYPE])
        elif wanted is None and (response.status in (200, 202, 204, 405) or 400 <= response.status < 500):
            await reply.whole(response.status if response.status not in (401, 403) else 502)
        else:
            raise self._garbage(response, data)

    async def _pass_events(
        self,
        response: httpcore2.Response,
        reply: Reply,
        call: UpstreamCall | None,
        wanted: Any,
        transport: Transport | None,
        restart: Callable[[], None],
    ) -> None:
        """Pass events through as they arrive; a call's answer is recorded before it is sent."""
        calls = transport.calls if transport is not None else {}
        if call is not None:
            calls[wanted] = call
        await reply.open_stream()
        answered = wanted is None
        resumable = False
        try:
            async for event in _events(response):
                resumable = resumable or event.has_id
                if event.data:
                    restart()
                    answered = self._note(event, calls, wanted) or answered
                await reply.write(event.raw)
            # A stream may end early if its events have ids: the client fetches the rest with Last-Event-ID.
            answered = answered or (resumable and transport is not None)
        finally:
            if not answered:
                calls.pop(wanted, None)
        if not answered:
            raise UpstreamFailure(f"the upstream {self._name!r} ended its stream without an answer")
        await reply.end()

    def _note(self, event: Event, calls: dict[Any, UpstreamCall], wanted: Any) -> bool:
        """Inspect a passing message. Returns whether it is the wanted answer."""
        message = parse_message(event.data)
        if message is None:
            return False
        if message.get("method") == "notifications/tools/list_changed":
            self._upstream.tools_changed(self)
        if not is_response(message):
            return False
        key = _key(message.get("id"))
        call = calls.pop(key, None)
        if call is not None:
            call.answered(message)
        return bool(key == wanted)

    # -- requests of the gateway itself -----------------------------------------------------------------------------------

    async def _probe(self) -> None:
        """Find out whether the upstream supports 2026-07-28; any other response than a result means no."""
        try:
            answer = await self._ask("server/discover", {"_meta": envelope({})}, None)
        except UpstreamFailure as failure:
            if failure.status == 503:
                raise
            answer = {}
        self._upstream.learn_versions(answer)

    async def _transport(self) -> Transport:
        """Return the most recently used transport session, or create one for the gateway."""
        async with self._opening:
            if self._transports:
                return self._transports[-1]
            hello = {"protocolVersion": LEGACY_VERSION, "capabilities": {}, "clientInfo": CLIENT_INFO}
            headers = [(b"accept", _ACCEPT.encode()), JSON_TYPE]
            message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
            answer, session_id = await self._post(message, headers)
            if "error" in answer:
                raise UpstreamFailure(f"the upstream {self._name!r} refused to initialize: {_error_text(answer)}")
            self._upstream.learn_about(answer)
            transport = Transport(session_id, b"", answer, initialized=True)
            initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            sent = [*headers, *self._session_headers(transport)]
            async with self._stream("POST", sent, orjson.dumps(initialized)):
                pass
            self._transports.append(transport)
            return transport

    async def _ask(self, method: str, params: dict[str, Any], transport: Transport | None) -> Message:
        message = {"jsonrpc": "2.0", "id": f"soundstage-{new_session_id()}", "method": method, "params": params}
        headers: list[Header] = [(b"accept", _ACCEPT.encode()), JSON_TYPE]
        if transport is None:
            headers += [(VERSION_HEADER.encode(), MODERN_VERSION.encode()), (b"mcp-method", method.encode())]
            headers += self._upstream.routing_headers(method, params)
        answer, _ = await self._post(message, [*headers, *self._session_headers(transport)], transport)
        return answer

    async def _post(
        self, message: Message, headers: list[Header], transport: Transport | None = None
    ) -> tuple[Message, str | None]:
        """Post a request and wait for its answer. Returns it with the session id of the response."""
        wanted = _key(message.get("id"))
        async with (
            self._patience(self._upstream.declaration.timeout_s) as restart,
            self._stream("POST", headers, orjson.dumps(message)) as response,
        ):
            self._check_session(response, transport)
            session_id = header_of(response, SESSION_HEADER.encode())
            if _media_type(response) == "text/event-stream":
                async for event in _events(response):
                    restart()
                    answer = parse_message(event.data)
                    if answer is not None and is_response(answer) and _key(answer.get("id")) == wanted:
                        return answer, session_id
                raise UpstreamFailure(f"the upstream {self._name!r} ended its stream without an answer")
            data = await _read(response)
            answer = parse_message(data)
            if answer is None or not is_response(answer) or not _answers(answer, wanted):
                raise self._garbage(response, data)
            return answer, session_id
        raise AssertionError("unreachable")  # the context managers above pass every exception on

    # -- below ------------------------------------------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return self._upstream.declaration.name

    def _use(self) -> _Use:
        return _Use(self)

    def _session_headers(self, transport: Transport | None) -> list[Header]:
        if transport is None:
            return []
        named = [] if transport.id is None else [(SESSION_HEADER.encode(), transport.id.encode())]
        return [*named, (VERSION_HEADER.encode(), transport.version.encode())]

    def _check_session(self, response: httpcore2.Response, transport: Transport | None) -> None:
        """Forget a transport session that the upstream no longer knows."""
        if response.status == 404 and transport is not None and transport.id is not None:
            if transport in self._transports:
                self._transports.remove(transport)
            self._fronts = {name: t for name, t in self._fronts.items() if t is not transport}
            raise UnknownTransportSession

    @asynccontextmanager
    async def _patience(self, seconds: float | None) -> AsyncIterator[Callable[[], None]]:
        """Give up after `seconds` of silence. Yields a function to call when something arrives."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds) as limit:

                def restart() -> None:
                    if seconds is not None:
                        limit.reschedule(loop.time() + seconds)

                yield restart
        except TimeoutError:
            failure = UpstreamFailure(f"the upstream {self._name!r} sent nothing for {seconds:g} s", status=504)
            self._upstream.failed(str(failure))
            raise failure from None

    @asynccontextmanager
    async def _stream(
        self, method: str, headers: list[Header], body: bytes | None
    ) -> AsyncIterator[httpcore2.Response]:
        own = [(name.encode(), value.encode()) for name, value in self._server.headers.items()]
        named = {name.lower() for name, _ in own}
        sent = [(b"accept-encoding", b"identity"), *(h for h in headers if h[0] not in named), *own]
        try:
            async with self._network.stream(method, self._server.url, sent, body, silence_s=None) as response:
                yield response
        except (httpcore2.NetworkError, httpcore2.TimeoutException, AddressNotAllowed) as error:
            raise self._unreachable(error) from None
        except (httpcore2.ProtocolError, httpcore2.UnsupportedProtocol, UnfollowedRedirect, ValueError) as error:
            raise self._failure("answered no proper HTTP", error, status=502) from None

    def _unreachable(self, error: Exception) -> UpstreamFailure:
        failure = self._failure("cannot be reached", error, status=503)
        self._upstream.failed(str(failure))
        return failure

    def _failure(self, what: str, error: Exception, *, status: int) -> UpstreamFailure:
        reason = self._upstream.declaration.redact(str(error)) or type(error).__name__
        public = f"the upstream {self._name!r} {what}"
        return UpstreamFailure(f"{public} ({reason})", status=status, public=public)

    def _garbage(self, response: httpcore2.Response, data: bytes) -> UpstreamFailure:
        if response.status in (401, 403):
            what = f"refused the gateway's credentials (HTTP {response.status}); check its headers"
        else:
            start = self._upstream.declaration.redact(data[:80].decode("utf-8", "replace"))
            what = f"did not answer with a JSON-RPC response (HTTP {response.status}, {_media_type(response)!r}): {start!r}"
        return UpstreamFailure(f"the upstream {self._name!r} {what}")


class _Use:
    """Counts the running requests, so that a channel in use is not closed as idle."""

    def __init__(self, channel: HttpChannel) -> None:
        self._channel = channel

    def __enter__(self) -> None:
        self._channel._requests += 1

    def __exit__(self, *_: object) -> None:
        self._channel._requests -= 1
        self._channel.used = asyncio.get_running_loop().time()


def _passed_on(incoming: Incoming) -> list[Header]:
    """Return the client's headers that concern the upstream, without its credentials for the gateway."""
    return [
        (name, value)
        for name, value in incoming.headers.raw
        if name.decode("latin-1") in _PASSED_ON or (name.startswith(b"mcp-") and name != SESSION_HEADER.encode())
    ]


def _key(request_id: Any) -> Any:
    """Return a JSON-RPC id as a key: 1 and "1" are different ids, and so are 1 and true."""
    return type(request_id).__name__, request_id if isinstance(request_id, str | int | float) else None


def _answers(message: Message, wanted: Any) -> bool:
    """Whether a response belongs to a request. An error may have no id, if the server could not read the request."""
    return _key(message.get("id")) == wanted or ("error" in message and message.get("id") in (None, "server-error"))


def _media_type(response: httpcore2.Response) -> str:
    return (header_of(response, b"content-type") or "").partition(";")[0].strip().lower()


async def _read(response: httpcore2.Response) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for chunk in response.aiter_stream():
        size += len(chunk)
        if size > MAX_MESSAGE:
            raise ValueError(f"more than {MAX_MESSAGE} bytes")
        parts.append(chunk)
    return b"".join(parts)


async def _events(response: httpcore2.Response) -> AsyncIterator[Event]:
    reader = EventReader()
    async for chunk in response.aiter_stream():
        for event in reader.feed(chunk):
            yield event


def _error_text(message: Message) -> str:
    error = message.get("error")
    return str(error.get("message")) if isinstance(error, dict) else str(error)
