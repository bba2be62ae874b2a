"""The address of one upstream, `/s/{handle}/{name}/mcp`: JSON-RPC messages pass through, calls are journaled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import orjson
from mcp_types import DEFAULT_NEGOTIATED_VERSION, INVALID_REQUEST, PARSE_ERROR
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from soundstage.contexts.engine.journal import Caller
from soundstage.gateway.calls.call_log import log_call
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.cluster.router import Routing, routing_of
from soundstage.gateway.delivery import unless_ended
from soundstage.gateway.faults.upstream_faults import has_schedule
from soundstage.gateway.log import log
from soundstage.gateway.notices import is_wanted, notification, takes_events
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.upstream import bridge
from soundstage.gateway.upstream.exchange import Incoming, Reply
from soundstage.gateway.upstream.http_channel import UnknownTransportSession
from soundstage.gateway.upstream.messages import VERSION_HEADER, Message, UpstreamFailure, error_message
from soundstage.gateway.upstream.recording import UpstreamCall
from soundstage.gateway.upstream.upstream import Upstream
from soundstage.gateway.upstream.upstreams import Upstreams

_METHODS = ("GET", "POST", "DELETE")


class Passthrough:
    """Serves requests for one upstream on behalf of one session."""

    def __init__(
        self, upstreams: Upstreams, calls: CallService, until_ended: Callable[[Session], Coroutine[Any, Any, None]]
    ) -> None:
        self._until_ended = until_ended
        self._upstreams = upstreams
        self._calls = calls

    async def serve(
        self, session: Session, upstream: Upstream, caller: Caller, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer one HTTP request to the address of an upstream."""
        reply = Reply(send)
        if scope["method"] not in _METHODS:
            await reply.whole(405, b"", [(b"allow", b"GET, POST, DELETE")])
            return
        body: bytes = (await receive()).get("body", b"")
        message: Message = {}
        if scope["method"] == "POST":
            try:
                message = orjson.loads(body)
            except orjson.JSONDecodeError:
                await reply.message(error_message(None, "Parse error", PARSE_ERROR), 400)
                return
            if not isinstance(message, dict):
                text = "Body must be a single JSON-RPC request, notification or response object"
                await reply.message(error_message(None, text, INVALID_REQUEST), 400)
                return
        incoming = Incoming(scope["method"], Headers(scope=scope), body, message, None)
        if message.get("method") == "tools/call" and incoming.is_request:
            name, arguments = incoming.params.get("name"), incoming.params.get("arguments")
            if isinstance(name, str) and has_schedule(session.context):
                answering = self._under_faults(session, upstream, caller, incoming, reply, routing_of(scope))
                await _while_connected(answering, receive)
                return
            note = partial(log_call, session, known=upstream.tool(name) is not None)
            incoming.call = UpstreamCall(session, upstream.declaration, name, arguments, caller=caller, on_made=note)

        async def serving(sending: Send) -> None:
            await _while_connected(self._answer(session, upstream, incoming, Reply(sending)), receive)

        if incoming.call is None:  # which may be a stream without an end
            await unless_ended(self._until_ended(session), serving, send)
        else:
            await serving(send)

    async def _answer(self, session: Session, upstream: Upstream, incoming: Incoming, reply: Reply) -> None:
        request_id = incoming.message.get("id") if incoming.is_request else None
        try:
            if bridge.is_needed(incoming, upstream):
                channel = self._upstreams.channel(session.id, upstream, modern=None)
                await bridge.translate(incoming, reply, upstream, channel)
            else:
                channel = self._upstreams.channel(session.id, upstream, modern=incoming.modern)
                await channel.serve(incoming, reply)
            upstream.answered()
        except UnknownTransportSession:
            # Before 2026-07-28 a client initializes again on this status.
            text = "Session not found; initialize again"
            await reply.message(error_message(request_id, text, INVALID_REQUEST), 404)
        except UpstreamFailure as failure:
            if failure.public != str(failure):
                log.warning("an upstream failed", upstream=upstream.name, reason=str(failure))
            refusal = error_message(request_id, failure.public)
            if incoming.call is not None:
                incoming.call.unanswered("unavailable", refusal)
            if not reply.started:
                await reply.message(refusal, 200 if incoming.is_request else failure.status)
            else:
                if incoming.is_request:
                    await reply.event(refusal)
                await reply.end()

    async def _under_faults(
        self,
        session: Session,
        upstream: Upstream,
        caller: Caller,
        incoming: Incoming,
        reply: Reply,
        routing: Routing,
    ) -> None:
        """Answer a call whose reply the session's schedule may change, so that it cannot be streamed through."""
        params = incoming.params
        extra_params = {k: v for k, v in params.items() if k not in ("name", "arguments")}
        toolset = self._upstreams.toolsets.alone(upstream)
        notices: list[str] = []

        async def notify(text: str) -> None:
            version = incoming.headers.get(VERSION_HEADER, DEFAULT_NEGOTIATED_VERSION)
            if is_wanted(version, params.get("_meta")) and takes_events(incoming.headers):
                notices.append(text)

        made = await self._calls.make_call(
            session,
            toolset,
            params["name"],
            params.get("arguments"),
            caller=caller,
            extra_params=extra_params,
            notify=notify,
        )
        answered = made.reply
        if answered is None:
            routing.dropped = True
            return
        message: Message = {"jsonrpc": "2.0", "id": incoming.message["id"]}
        if "error" in answered:
            message["error"] = answered["error"]
        else:
            message["result"] = {"resultType": "complete", **answered} if incoming.modern else answered
        if not notices:
            await reply.message(message)
            return
        await reply.open_stream()
        for frame in (*map(notification, notices), message):
            await reply.event(frame)
        await reply.end()


async def _while_connected(work: Awaitable[None], receive: Receive) -> None:
    """Run the work, and cancel it if the client disconnects."""
    running = asyncio.ensure_future(work)

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        running.cancel()

    watching = asyncio.ensure_future(watch())
    try:
        await running
    except asyncio.CancelledError:
        if not watching.done():  # the gateway itself stops
            running.cancel()
            raise
    finally:
        watching.cancel()
