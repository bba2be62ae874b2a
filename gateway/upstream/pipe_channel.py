"""Messages between one session and an upstream with a single message pipe: a process, or the SSE transport.

Several clients of a session may share the pipe, so ids of requests and progress tokens are renumbered on the way up and
restored on the way down; the rest of a message is unchanged. Unsolicited messages of the upstream go to the client whose
request is running, or to the event streams that clients hold open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    InboundLadderRejection,
    classify_inbound_request,
    validate_mcp_param_headers,
)
from mcp_types import METHOD_NOT_FOUND

from soundstage.gateway.upstream.exchange import Incoming, Reply, new_session_id
from soundstage.gateway.upstream.http_channel import MAX_CLIENTS, UnknownTransportSession
from soundstage.gateway.upstream.messages import (
    LEGACY_VERSION,
    SESSION_HEADER,
    Message,
    UpstreamFailure,
    error_message,
    is_response,
)
from soundstage.gateway.upstream.recording import UpstreamCall
from soundstage.gateway.upstream.upstream import CLIENT_INFO, Upstream, envelope, without_envelope

_PING_S = 15.0
_PING = b": ping\r\n\r\n"
_PROBE_S = 10.0
_WAITING_EVENTS = 1000
_SHARED_CLIENT = ""
"""The client of requests that name no transport session."""


class Pipe(Protocol):
    """Sends messages to an upstream; messages from it go to a callback."""

    async def open(self) -> None:
        """Open the pipe."""

    async def send(self, data: bytes) -> None:
        """Send bytes to the upstream."""

    async def close(self) -> None:
        """Close the pipe."""

    def notes(self) -> str:
        """Return the last lines that the upstream logged."""


OpenPipe = Callable[[Callable[[Message], None], Callable[[str], None]], Pipe]


@dataclass(slots=True, eq=False)
class PendingRequest:
    """A request that waits for its answer. Related messages arrive in `inbox`; None means that the pipe has ended."""

    method: str
    client: str
    client_id: Any
    progress_token: Any = None
    call: UpstreamCall | None = None
    inbox: asyncio.Queue[Message | UpstreamFailure] = field(default_factory=asyncio.Queue)


class PipeChannel:
    """One pipe, opened with the first request and reopened after it has ended."""

    def __init__(self, upstream: Upstream, open_pipe: OpenPipe, *, modern: bool | None, own: bool) -> None:
        self._upstream = upstream
        self._own = own
        self._open_pipe = open_pipe
        self._modern = modern  # None for the gateway's own channel, which finds out
        self._pipe: Pipe | None = None
        self._opening = asyncio.Lock()
        self._numbers = 0
        self._pending: dict[int, PendingRequest] = {}
        self._questions: set[Any] = set()  # ids of the upstream's requests that wait for a client's answer
        self._clients: dict[str, set[asyncio.Queue[Message]]] = {}  # a client's open event streams
        self._greeting: Message | None = None
        self._hello: bytes = b""
        self._sending: set[asyncio.Task[None]] = set()
        self.used = asyncio.get_running_loop().time()

    @property
    def busy(self) -> bool:
        """Whether a request or a client's stream is open."""
        return bool(self._pending) or any(self._clients.values())

    async def serve(self, incoming: Incoming, reply: Reply) -> None:
        """Answer one request of a client (see `Channel`)."""
        self.used = asyncio.get_running_loop().time()
        if incoming.method == "POST":
            await (self._serve_modern(incoming, reply) if incoming.modern else self._serve_legacy(incoming, reply))
        elif incoming.modern:
            await reply.whole(405, b"", [(b"allow", b"POST")])
        elif incoming.method == "GET":
            await self._hold_stream(self._client_of(incoming), reply)
        else:
            if self._clients.pop(self._client_of(incoming), None) is None:
                raise UnknownTransportSession
            await reply.whole(200)

    async def request(self, method: str, params: dict[str, Any]) -> Message:
        """Send a request of the gateway itself (see `Channel`)."""
        self.used = asyncio.get_running_loop().time()
        await self._ready()
        if self._modern is None:
            await self._probe()
        if self._modern:
            params = {**params, "_meta": envelope(params)}
        else:
            params = without_envelope(params)
            await self._greet()
        return await self._ask(method, params, self._upstream.declaration.timeout_s)

    async def close(self) -> None:
        """Close the pipe and end all requests."""
        pipe, self._pipe = self._pipe, None
        self._end("was closed")
        if pipe is not None:
            await pipe.close()

    # -- 2026-07-28 ---------------------------------------------------------------------------------------------------------

    async def _serve_modern(self, incoming: Incoming, reply: Reply) -> None:
        message = incoming.message
        if not incoming.is_request:
            await reply.whole(202)  # clients of this revision send no notifications over HTTP
            return
        if (rejection := self._rejection(incoming)) is not None:
            refusal = error_message(message["id"], rejection.message, rejection.code, rejection.data)
            await reply.message(refusal, ERROR_CODE_HTTP_STATUS.get(rejection.code, 400))
            return
        if message["method"] == "initialize":  # a server behind a pipe would interpret it as a change of the revision
            refusal = error_message(message["id"], "Method not found: initialize", METHOD_NOT_FOUND)
            await reply.message(refusal, ERROR_CODE_HTTP_STATUS[METHOD_NOT_FOUND])
            return
        await self._ready()
        await self._exchange(incoming, reply, _SHARED_CLIENT)

    def _rejection(self, incoming: Incoming) -> InboundLadderRejection | None:
        """Check the headers, which a server behind a pipe cannot see."""
        headers = dict(incoming.headers)
        verdict = classify_inbound_request(incoming.message, headers=headers)
        if isinstance(verdict, InboundLadderRejection):
            return verdict
        tool = self._upstream.tool(incoming.params.get("name")) if incoming.message["method"] == "tools/call" else None
        arguments = incoming.params.get("arguments") or {}
        if tool is None or not isinstance(arguments, dict):
            return None
        return validate_mcp_param_headers(tool.input_schema, arguments, headers)

    # -- revisions with a handshake -----------------------------------------------------------------------------------------

    async def _serve_legacy(self, incoming: Incoming, reply: Reply) -> None:
        message, method = incoming.message, incoming.message.get("method")
        if method == "initialize" and incoming.is_request:
            await self._ready()
            await self._initialize(incoming, reply)
            return
        client = self._client_of(incoming)
        await self._ready()
        await self._greet()
        if incoming.is_request:
            await self._exchange(incoming, reply, client)
        elif is_response(message):
            if message.get("id") in self._questions:
                self._questions.discard(message.get("id"))
                await self._send(message)
            await reply.whole(202)
        else:
            if method == "notifications/cancelled":
                await self._cancel(client, incoming.params)
            elif method != "notifications/initialized":
                await self._send(message)
            await reply.whole(202)

    async def _initialize(self, incoming: Incoming, reply: Reply) -> None:
        """Initialize for a client.

        The pipe is initialized once. A client with other capabilities is announced to the server by a second `initialize`; if
        the server rejects it, the first one remains valid.
        """
        hello = orjson.dumps(incoming.params, option=orjson.OPT_SORT_KEYS)
        async with self._opening:
            if self._greeting is None or (hello != self._hello and not self.busy):
                answer = await self._ask("initialize", incoming.params, self._upstream.declaration.timeout_s)
                if "error" in answer and self._greeting is None:
                    await reply.message({**answer, "id": incoming.message["id"]})
                    return
                if "error" not in answer:
                    await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
                    self._greeting, self._hello = answer, hello
        name = new_session_id()
        self._clients[name] = set()
        if len(self._clients) > MAX_CLIENTS:
            del self._clients[next(iter(self._clients))]
        assert self._greeting is not None
        greeting = {**self._greeting, "id": incoming.message["id"]}
        await reply.message(greeting, 200, [(SESSION_HEADER.encode(), name.encode())])

    async def _greet(self) -> None:
        """Initialize the pipe for clients that did not."""
        if self._greeting is not None:
            return
        async with self._opening:
            if self._greeting is not None:
                return
            hello = {"protocolVersion": LEGACY_VERSION, "capabilities": {}, "clientInfo": CLIENT_INFO}
            answer = await self._ask("initialize", hello, self._upstream.declaration.timeout_s)
            if "error" in answer:
                raise UpstreamFailure(f"the upstream {self._name!r} refused to initialize: {answer['error']}")
            self._upstream.learn_about(answer)
            await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            self._greeting = answer

    def _client_of(self, incoming: Incoming) -> str:
        name = incoming.session_id
        if name is None:
            self._clients.setdefault(_SHARED_CLIENT, set())
            return _SHARED_CLIENT
        if name not in self._clients:
            raise UnknownTransportSession
        return name

    async def _hold_stream(self, client: str, reply: Reply) -> None:
        """Stream the upstream's unsolicited messages to a client."""
        inbox: asyncio.Queue[Message] = asyncio.Queue(_WAITING_EVENTS)
        streams = self._clients[client]
        streams.add(inbox)
        try:
            await reply.open_stream()
            while client in self._clients:
                try:
                    async with asyncio.timeout(_PING_S):
                        message = await inbox.get()
                except TimeoutError:
                    await reply.write(_PING)
                else:
                    await reply.event(message)
        finally:
            streams.discard(inbox)
        await reply.end()

    # -- both ---------------------------------------------------------------------------------------------------------------

    async def _exchange(self, incoming: Incoming, reply: Reply, client: str) -> None:
        """Send a client's request and return the messages: one JSON message, or a stream if there are several."""
        message = incoming.message
        pending = PendingRequest(message["method"], client, message["id"], call=incoming.call)
        number = await self._put(pending, message.get("params"))
        endless = pending.method == "subscriptions/listen"
        timeout_s = self._upstream.declaration.timeout_s
        loop = asyncio.get_running_loop()
        last_message = loop.time()
        answered = False
        try:
            while True:
                left = _PING_S if endless else min(_PING_S, last_message + timeout_s - loop.time())
                try:
                    async with asyncio.timeout(max(0, left)):
                        got = await pending.inbox.get()
                except TimeoutError:
                    if not endless and loop.time() >= last_message + timeout_s:
                        raise self._silent(timeout_s) from None
                    if not reply.started:
                        await reply.open_stream()
                    await reply.write(_PING)
                    continue
                last_message = loop.time()
                if isinstance(got, UpstreamFailure):
                    answered = True
                    raise got
                answered = is_response(got)
                if answered and not reply.started:
                    await reply.message(got, _http_status(got) if incoming.modern else 200)
                    return
                if not reply.started:
                    await reply.open_stream()
                await reply.event(got)
                if answered:
                    await reply.end()
                    return
        finally:
            if not answered:
                await self._abandon(number, incoming.modern)

    async def _abandon(self, number: int, modern: bool) -> None:
        """Abandon a request after a disconnect or a timeout.

        Before 2026-07-28 a broken connection cancels nothing, so a call whose client has disconnected is still recorded when
        its answer arrives.
        """
        task = asyncio.current_task()
        client_has_gone = task is not None and task.cancelling() > 0
        if client_has_gone and not modern:
            timeout_s = self._upstream.declaration.timeout_s
            asyncio.get_running_loop().call_later(timeout_s, self._give_up, number)
            return
        if client_has_gone:
            self._give_up(number)
        self._pending.pop(number, None)
        with suppress(UpstreamFailure):
            await self._send_cancelled(number, "the client has gone" if client_has_gone else "no answer in time")

    def _give_up(self, number: int) -> None:
        pending = self._pending.pop(number, None)
        if pending is not None and pending.call is not None:
            pending.call.unanswered("cancelled", None)

    async def _ask(self, method: str, params: Any, timeout_s: float) -> Message:
        pending = PendingRequest(method, _SHARED_CLIENT, None)
        number = await self._put(pending, params)
        try:
            async with asyncio.timeout(timeout_s) as limit:
                while True:
                    got = await pending.inbox.get()
                    if isinstance(got, UpstreamFailure):
                        raise got
                    if is_response(got):
                        return got
                    limit.reschedule(asyncio.get_running_loop().time() + timeout_s)
        except TimeoutError:
            with suppress(UpstreamFailure):
                await self._send_cancelled(number, "no answer in time")
            raise self._silent(timeout_s) from None
        finally:
            self._pending.pop(number, None)

    async def _put(self, pending: PendingRequest, params: Any) -> int:
        """Send a request under a new number."""
        self._numbers += 1
        number = self._numbers
        message: Message = {"jsonrpc": "2.0", "id": number, "method": pending.method}
        if params is not None:
            message["params"] = params
        meta = params.get("_meta") if isinstance(params, dict) else None
        if isinstance(meta, dict) and "progressToken" in meta:
            pending.progress_token = meta["progressToken"]
            message["params"] = {**params, "_meta": {**meta, "progressToken": number}}
        self._pending[number] = pending
        try:
            await self._send(message)
        except BaseException:
            self._pending.pop(number, None)
            raise
        return number

    async def _cancel(self, client: str, params: dict[str, Any]) -> None:
        wanted = params.get("requestId")
        for number, pending in self._pending.items():
            if pending.client == client and pending.client_id == wanted and type(pending.client_id) is type(wanted):
                await self._send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                                  "params": {**params, "requestId": number}})  # fmt: skip
                if pending.call is not None:
                    pending.call.unanswered("cancelled", None)
                return

    async def _send_cancelled(self, number: int, reason: str) -> None:
        params = {"requestId": number, "reason": reason}
        await self._send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    # -- messages of the upstream -------------------------------------------------------------------------------------------

    def _received(self, message: Message) -> None:
        method = message.get("method")
        if method is None:
            pending = self._pending.pop(message["id"], None) if isinstance(message.get("id"), int) else None
            if pending is not None and is_response(message):
                message["id"] = pending.client_id
                if pending.method == "subscriptions/listen":
                    _put_back_subscription(message.get("result"), pending)
                if pending.call is not None:
                    pending.call.answered(message)
                pending.inbox.put_nowait(message)
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if method == "notifications/tools/list_changed":
            self._upstream.tools_changed(self)
        if (pending := self._concerned(method, params)) is not None:
            pending.inbox.put_nowait(message)
        elif "id" in message:
            self._question(message)
        elif method == "notifications/message":
            self._tell_running(message)
        else:
            self._tell_streams(message)

    def _concerned(self, method: str, params: dict[str, Any]) -> PendingRequest | None:
        """Return the request that a notification refers to, and restore the client's own id or token in it."""
        meta = params.get("_meta")
        if method == "notifications/progress" and isinstance(params.get("progressToken"), int):
            pending = self._pending.get(params["progressToken"])
            if pending is not None:
                params["progressToken"] = pending.progress_token
            return pending
        if isinstance(meta, dict) and isinstance(meta.get(SUBSCRIPTION_ID_META_KEY), int):
            pending = self._pending.get(meta[SUBSCRIPTION_ID_META_KEY])
            if pending is not None:
                _put_back_subscription(params, pending)
            return pending
        return None

    def _question(self, message: Message) -> None:
        """Pass a request of the upstream to the running call's client, or to one that listens."""
        if message["method"] == "ping":
            self._answer({"jsonrpc": "2.0", "id": message["id"], "result": {}})
        elif self._tell_running(message):
            self._questions.add(message["id"])
        else:
            text = f"no client of the session is there to answer {message['method']}"
            self._answer(error_message(message["id"], text, METHOD_NOT_FOUND))

    def _tell_running(self, message: Message) -> bool:
        """Pass a message to the running request (the newest of several), or to the open streams."""
        running = [a for a in self._pending.values() if a.client_id is not None and a.method != "subscriptions/listen"]
        if running:
            running[-1].inbox.put_nowait(message)
            return True
        return self._tell_streams(message, one="id" in message)

    def _tell_streams(self, message: Message, *, one: bool = False) -> bool:
        delivered = False
        for inbox in (inbox for streams in self._clients.values() for inbox in streams):
            if not inbox.full():
                inbox.put_nowait(message)
                delivered = True
                if one:
                    break
        return delivered

    def _answer(self, message: Message) -> None:
        async def send() -> None:
            with suppress(UpstreamFailure):
                await self._send(message)

        task = asyncio.create_task(send())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    # -- the pipe -----------------------------------------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return self._upstream.name

    async def _ready(self) -> None:
        async with self._opening:
            if self._pipe is not None:
                return
            waits_s = (self._upstream.retry_at or 0) - asyncio.get_running_loop().time()
            if not self._own and self._upstream.status == "down" and waits_s > 0:
                down, again = f"the upstream {self._name!r} is down", f"; it is tried again in {waits_s:.0f} s"
                raise UpstreamFailure(f"{down} ({self._upstream.reason}){again}", status=503, public=down + again)
            pipe = self._open_pipe(self._received, self._ended)
            try:
                await pipe.open()
            except UpstreamFailure as failure:
                self._upstream.failed(str(failure))
                raise
            self._pipe = pipe

    async def _send(self, message: Message) -> None:
        pipe = self._pipe
        if pipe is None:
            raise UpstreamFailure(f"the upstream {self._name!r} has ended", status=503)
        try:
            await pipe.send(orjson.dumps(message))
        except OSError as error:
            reason = self._upstream.declaration.redact(str(error)) or type(error).__name__
            public = f"the upstream {self._name!r} takes no message"
            raise UpstreamFailure(f"{public} ({reason})", status=503, public=public) from None

    async def _probe(self) -> None:
        try:
            answer = await self._ask("server/discover", {"_meta": envelope({})}, _PROBE_S)
        except UpstreamFailure:
            if self._pipe is None:
                raise
            answer = {}
        self._upstream.learn_versions(answer)
        self._modern = self._upstream.modern

    def _ended(self, reason: str) -> None:
        """Handle the unexpected end of the pipe; the next request reopens it."""
        self._pipe = None
        self._end(reason)
        self._upstream.failed(reason)

    def _end(self, reason: str) -> None:
        self._greeting = None
        self._questions.clear()
        pending, self._pending = self._pending, {}
        public = f"the upstream {self._name!r} ended before it answered"
        failure = UpstreamFailure(f"the upstream {self._name!r} {reason}", status=503, public=public)
        for request in pending.values():
            request.inbox.put_nowait(failure)

    def _silent(self, timeout_s: float) -> UpstreamFailure:
        notes = "" if self._pipe is None else self._pipe.notes()
        public = f"the upstream {self._name!r} sent nothing for {timeout_s:g} s"
        failure = UpstreamFailure(f"{public}{notes}", status=504, public=public)
        self._upstream.failed(str(failure))
        return failure


def _put_back_subscription(holder: Any, pending: PendingRequest) -> None:
    meta = holder.get("_meta") if isinstance(holder, dict) else None
    if isinstance(meta, dict) and SUBSCRIPTION_ID_META_KEY in meta:
        meta[SUBSCRIPTION_ID_META_KEY] = pending.client_id


def _http_status(message: Message) -> int:
    error = message.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return ERROR_CODE_HTTP_STATUS.get(code, 200) if isinstance(code, int) else 200
