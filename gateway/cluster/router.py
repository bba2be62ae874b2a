"""Route a request: answer it here, or forward it to the gateway that has its session.

The wrapped applications look for the session as if there were only one gateway. If another gateway has it, they record that in
a `Routing` instead of answering, and the complete request is forwarded unchanged. Clients are never redirected: an owner's
address may be unreachable for them, and MCP clients do not follow redirects with their body and credentials.

A session belongs where its agent's requests arrive, because the proxy in front continues to send them there. So a durable
session moves when agents reach it through another gateway: at once if no request has arrived directly yet, otherwise after
several in a row, so that a client whose connections end at several gateways does not move it back and forth.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from soundstage.contexts.engine.problems import ContextTaken
from soundstage.gateway import metrics
from soundstage.gateway.bodies import replay_message
from soundstage.gateway.cluster.forward import DROPPED, LEASE, NOT_ME, RELEASED, VOLUME, Forwarder, Outcome, meant_for
from soundstage.gateway.delivery import break_off
from soundstage.gateway.registry.leases import LEASE_MS
from soundstage.gateway.sessions.problems import OwnedElsewhere
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions

Plane = Literal["agent", "control"]

_ROUTING = "soundstage.routing"
_TRIES = 5
_PATIENCE_S = LEASE_MS / 1000 + 1
"""Seconds that a request waits for the lease of an unreachable owner to lapse."""
_PAUSE_S = 0.25
_CHECK_S = 2.5
"""Seconds between checks that an owner still runs while a request waits for its answer: longer than the heartbeat interval."""
_MISSED = 2
"""Number of consecutive failed checks that end the wait. After a registry outage all gateways seem silent until they renew."""
_IN_A_ROW = 8
"""Number of consecutive forwarded agent requests after which a session moves that has also been reached directly."""


@dataclass(slots=True)
class Routing:
    """The routing decision of the application for one request.

    `forwarded` is set if another gateway, with contexts on the disk `volume`, forwarded the request. `elsewhere` is how the
    application found that another gateway has the session: in the registry, which names the gateway, or in the context itself;
    then the registry is read again. If `dropped`, the client's connection ends without an answer.
    """

    forwarded: bool = False
    volume: str | None = None
    elsewhere: OwnedElsewhere | ContextTaken | None = None
    released: bool = False
    dropped: bool = False

    @property
    def unanswered(self) -> bool:
        """Whether the application sent no answer, because the session belongs to another gateway."""
        return self.released or self.elsewhere is not None


def routing_of(scope: Scope) -> Routing:
    """Return the routing decision of a request."""
    routing: Routing = scope[_ROUTING]
    return routing


async def answers_here(sessions: Sessions, session: Session, routing: Routing) -> bool:
    """Whether an agent's request is answered here; otherwise the session has been released for the other gateway."""
    if not routing.forwarded:
        session.has_direct_requests, session.forwarded_in_a_row = True, 0
        return True
    session.forwarded_in_a_row += 1
    settled = session.has_direct_requests and session.forwarded_in_a_row < _IN_A_ROW
    if settled or session.record.volume != routing.volume:
        return True
    routing.released = await sessions.release(session)
    return not routing.released


class SessionRouter:
    """Middleware for requests whose session another gateway may have; bodies arrive in one piece.

    `refuse` creates an error response in the form that its clients expect.
    """

    def __init__(
        self,
        app: ASGIApp,
        sessions: Sessions,
        forwarder: Forwarder,
        *,
        plane: Plane,
        refuse: Callable[[int, str], Response],
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._forwarder = forwarder
        self._plane = plane
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request here, or forward it to the gateway that has its session."""
        member = self._sessions.member
        if scope["type"] != "http" or member is None:
            await self._app(scope, receive, send)
            return
        meant = meant_for(member.own, scope)
        if meant is False:
            await _decline(NOT_ME)(scope, receive, send)
            return
        body = _Body(await receive(), receive)
        until = time.monotonic() + _PATIENCE_S
        for _ in range(_TRIES):
            routing = await self._try_here(scope, body, send, forwarded=meant is True)
            while isinstance(routing.elsewhere, OwnedElsewhere) and not routing.forwarded:
                outcome = await self._forward(routing.elsewhere, scope, body, send)
                if outcome is None:
                    return
                if outcome is Outcome.GONE:
                    self._sessions.mark_owner_gone(routing.elsewhere)
                if outcome is not Outcome.UNREACHABLE:
                    break
                if time.monotonic() > until:
                    await self._refuse(503, str(routing.elsewhere))(scope, body.rest, send)
                    return
                await asyncio.sleep(_PAUSE_S)
                routing = await self._try_here(scope, body, send, forwarded=False)
            if routing.dropped:
                await (_decline(DROPPED)(scope, body.rest, send) if meant is True else break_off(scope, body.rest))
                return
            if not routing.unanswered:
                return
            if routing.released or (routing.forwarded and isinstance(routing.elsewhere, OwnedElsewhere)):
                await _decline(RELEASED if routing.released else NOT_ME)(scope, body.rest, send)
                return
        await self._refuse(503, "the session is changing gateways; try again in a few seconds")(scope, body.rest, send)

    async def _try_here(self, scope: Scope, body: _Body, send: Send, *, forwarded: bool) -> Routing:
        """Let the application answer, or record a routing decision."""
        routing = scope[_ROUTING] = Routing(forwarded, Headers(scope=scope).get(VOLUME) if forwarded else None)

        async def send_if_answered(message: Message) -> None:
            if not routing.unanswered:
                await send(message)

        await self._app(scope, body.replay(), send_if_answered)
        if isinstance(routing.elsewhere, ContextTaken):
            self._sessions.close_taken(routing.elsewhere.context)
        return routing

    async def _forward(self, problem: OwnedElsewhere, scope: Scope, body: _Body, send: Send) -> Outcome | None:
        """Forward a request. Returns None if the client has an answer, otherwise the reason why nothing has been done."""
        began = False

        async def mark_and_send(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        forwarding = asyncio.create_task(self._forwarder.forward(problem.owner, scope, body.whole, mark_and_send))
        # A client's disconnect ends a stream that would otherwise never end.
        gone = asyncio.create_task(body.disconnected())
        missed = 0
        try:
            while not (forwarding.done() or gone.done()) and missed < _MISSED:
                await asyncio.wait((forwarding, gone), timeout=_CHECK_S, return_when=asyncio.FIRST_COMPLETED)
                if not forwarding.done():
                    # If the owner stays silent, it was stopped or disconnected while it handled the request.
                    missed = 0 if await self._sessions.is_alive(problem.owner) else missed + 1
        finally:
            gone.cancel()
            forwarding.cancel()
        if gone.done() and not forwarding.done():
            return None
        outcome = forwarding.result() if forwarding.done() else Outcome.BROKEN
        if outcome is Outcome.DROPPED:
            await break_off(scope, body.rest)
            outcome = Outcome.ANSWERED
        if outcome not in (Outcome.ANSWERED, Outcome.BROKEN):
            return outcome
        metrics.FORWARDED.labels(self._plane, "answered" if outcome is Outcome.ANSWERED else "failed").inc()
        if outcome is Outcome.BROKEN and not began:
            text = "the gateway that has the session broke off; the request may have been carried out, so look first"
            await self._refuse(502, text)(scope, body.rest, send)
        return None


class _Body:
    """A request body that can be read more than once: by the application, and for another gateway."""

    def __init__(self, message: Message, receive: Receive) -> None:
        self.rest = receive
        self._message = message

    @property
    def whole(self) -> bytes:
        body: bytes = self._message.get("body", b"")
        return body

    def replay(self) -> Receive:
        return replay_message(self._message, self.rest)

    async def disconnected(self) -> None:
        """Wait until the client disconnects."""
        while (await self.rest())["type"] != "http.disconnect":
            pass


def _decline(why: str) -> Response:
    """Create the response to a forwarding gateway that must not send an answer of this gateway."""
    return Response(b"", status_code=421, headers={LEASE: why})
