"""Where a request is answered: here, or by the gateway that has its session.

The applications behind it look for the session as if they were alone. Where another gateway has it they leave word
(`Placing`) instead of answering, and the request is passed on, whole, as it came. Nobody is ever redirected: an owner's
address may be one that clients cannot reach, and MCP clients do not follow redirects with their body and credentials.

A session belongs where its agent's requests arrive, because the proxy in front keeps sending them there. So a durable
session moves when agents reach it through another gateway: at once where none has come directly yet, else after several
in a row, so that one client whose connections end at several gateways does not make it wander.
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
from soundstage.gateway.bodies import again
from soundstage.gateway.cluster.forward import DROPPED, LEASE, NOT_ME, RELEASED, VOLUME, Forwarder, Outcome, meant_for
from soundstage.gateway.delivery import break_off
from soundstage.gateway.registry.leases import LEASE_MS
from soundstage.gateway.sessions.problems import HeldElsewhere
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions

Plane = Literal["agent", "control"]

_PLACING = "soundstage.placing"
_TRIES = 5
_PATIENCE_S = LEASE_MS / 1000 + 1
"""For how long a request waits for the lease of an owner that cannot be reached to run out."""
_PAUSE_S = 0.25
_LOOK_S = 2.5
"""How often somebody who waits for an owner's answer looks whether the owner is still there: less often than owners say so."""
_MISSED = 2
"""So many looks in a row that find it silent end the waiting: after an outage of the registry all are, until they renew."""
_IN_A_ROW = 8
"""So many agent requests in a row through another gateway make a session move that has been reached directly, too."""


@dataclass(slots=True)
class Placing:
    """What the application says of one request. `passed_on` tells it that another gateway sent the request here, with
    contexts on the disk `volume`. `elsewhere` is how it found that another gateway has the session: by the registry, which
    knows which one, or in the context itself, and then the registry is to be asked again. `dropped`: the client's connection
    is to end without an answer.
    """

    passed_on: bool = False
    volume: str | None = None
    elsewhere: HeldElsewhere | ContextTaken | None = None
    released: bool = False
    dropped: bool = False

    @property
    def unanswered(self) -> bool:
        return self.released or self.elsewhere is not None


def placing_of(scope: Scope) -> Placing:
    """Where to leave word about a request."""
    placing: Placing = scope[_PLACING]
    return placing


async def stays(sessions: Sessions, session: Session, placing: Placing) -> bool:
    """Whether an agent's request is to be answered here; otherwise the session has been given back for the other gateway."""
    if not placing.passed_on:
        session.came_directly, session.came_through = True, 0
        return True
    session.came_through += 1
    settled = session.came_directly and session.came_through < _IN_A_ROW
    if settled or session.record.volume != placing.volume:
        return True
    placing.released = await sessions.let_go(session)
    return not placing.released


class Placed:
    """An application whose requests may belong to another gateway; they come with their body in one piece. `refuse` words a
    refusal as its clients expect.
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
            placing = await self._ask(scope, body, send, passed_on=meant is True)
            while isinstance(placing.elsewhere, HeldElsewhere) and not placing.passed_on:
                outcome = await self._pass_on(placing.elsewhere, scope, body, send)
                if outcome is None:
                    return
                if outcome is Outcome.GONE:
                    self._sessions.owner_is_gone(placing.elsewhere)
                if outcome is not Outcome.UNREACHABLE:
                    break
                if time.monotonic() > until:
                    await self._refuse(503, str(placing.elsewhere))(scope, body.rest, send)
                    return
                await asyncio.sleep(_PAUSE_S)
                placing = await self._ask(scope, body, send, passed_on=False)
            if placing.dropped:
                await (_decline(DROPPED)(scope, body.rest, send) if meant is True else break_off(scope, body.rest))
                return
            if not placing.unanswered:
                return
            if placing.released or (placing.passed_on and isinstance(placing.elsewhere, HeldElsewhere)):
                await _decline(RELEASED if placing.released else NOT_ME)(scope, body.rest, send)
                return
        await self._refuse(503, "the session is changing gateways; try again in a moment")(scope, body.rest, send)

    async def _ask(self, scope: Scope, body: _Body, send: Send, *, passed_on: bool) -> Placing:
        """Let the application answer, or leave word."""
        placing = scope[_PLACING] = Placing(passed_on, Headers(scope=scope).get(VOLUME) if passed_on else None)

        async def unless_unanswered(message: Message) -> None:
            if not placing.unanswered:
                await send(message)

        await self._app(scope, body.from_the_start(), unless_unanswered)
        if isinstance(placing.elsewhere, ContextTaken):
            self._sessions.drop_taken(placing.elsewhere.context)
        return placing

    async def _pass_on(self, held: HeldElsewhere, scope: Scope, body: _Body, send: Send) -> Outcome | None:
        """Pass a request on. None when the client has an answer; else nothing has been done, and why."""
        began = False

        async def note_and_send(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        passing = asyncio.create_task(self._forwarder.pass_on(held.owner, scope, body.whole, note_and_send))
        # A client that goes away ends a stream that would otherwise never end.
        gone = asyncio.create_task(body.disconnected())
        missed = 0
        try:
            while not (passing.done() or gone.done()) and missed < _MISSED:
                await asyncio.wait((passing, gone), timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
                if not passing.done():
                    # Where it stays silent it was stopped, or is cut off, with the request in its hands.
                    missed = 0 if await self._sessions.is_there(held.owner) else missed + 1
        finally:
            gone.cancel()
            passing.cancel()
        if gone.done() and not passing.done():
            return None
        outcome = passing.result() if passing.done() else Outcome.BROKEN
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
    """A request's body, which may have to be read more than once: by the application, and for another gateway."""

    def __init__(self, message: Message, receive: Receive) -> None:
        self.rest = receive
        self._message = message

    @property
    def whole(self) -> bytes:
        body: bytes = self._message.get("body", b"")
        return body

    def from_the_start(self) -> Receive:
        return again(self._message, self.rest)

    async def disconnected(self) -> None:
        """Wait until the client is gone."""
        while (await self.rest())["type"] != "http.disconnect":
            pass


def _decline(why: str) -> Response:
    """What a gateway is told that has passed a request on and is to send no answer of this one's."""
    return Response(b"", status_code=421, headers={LEASE: why})
