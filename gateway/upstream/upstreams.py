"""All upstreams of a gateway: declaration, removal, the connections of every session, and calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from soundstage.gateway.calls.call import CallHandler, CallRequest, CallResult, Toolset
from soundstage.gateway.calls.toolset import app_toolset, shared_toolset
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.upstream_faults import UpstreamFault, draw_fault, to_message
from soundstage.gateway.log import log
from soundstage.gateway.registry.records import Seat, SessionRecord
from soundstage.gateway.sessions.problems import AppNotInSession
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.upstream.catalogue import Toolsets, upstream_app
from soundstage.gateway.upstream.config import CommandServer, Declaration, UpstreamConfigError, UrlServer
from soundstage.gateway.upstream.health import look_after
from soundstage.gateway.upstream.http_channel import HttpChannel, UnknownTransportSession
from soundstage.gateway.upstream.messages import Message, UpstreamFailure, checked_answer, error_message
from soundstage.gateway.upstream.network import AddressNotAllowed, Network
from soundstage.gateway.upstream.pipe_channel import OpenPipe, PipeChannel
from soundstage.gateway.upstream.recording import UpstreamCall, read_answer
from soundstage.gateway.upstream.sse import SsePipe
from soundstage.gateway.upstream.stdio import StdioPipe, Watchdog
from soundstage.gateway.upstream.upstream import Channel, Upstream

IDLE_S = 600.0
_ROUND_S = 15.0
_FIRST_CHECK_S = 10.0
_OWN = ""
"""The key of the gateway's own connections, in the place of a session's id."""


class UnknownUpstream(LookupError):
    """No upstream has this name."""


@dataclass(frozen=True, slots=True)
class _Key:
    """The key of a channel. A process or stream serves one kind of revision, so a session may need two of them."""

    session: str
    upstream: str
    modern: bool | None


class Upstreams:
    """The upstreams of one gateway. Each session has separate connections to them, which end with the session."""

    def __init__(self, *, allow_private: bool = False, idle_s: float = IDLE_S) -> None:
        self._network = Network(allow_private=allow_private)
        self._watchdog = Watchdog()
        self._idle_s = idle_s
        self._upstreams: dict[str, Upstream] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._channels: dict[_Key, Channel] = {}
        self._reaper: asyncio.Task[None] | None = None
        self.toolsets = Toolsets(self.handler)

    async def start(self, declarations: Iterable[Declaration]) -> None:
        """Add the upstreams declared at the start, and wait briefly for each to answer."""
        self._reaper = asyncio.create_task(self._close_idle())
        for declaration in declarations:
            self._add(Upstream(declaration, declared_at="start"))
        await self._first_checks(list(self._upstreams.values()))

    async def stop(self) -> None:
        """Close every connection and end every process."""
        tasks = [*self._tasks.values(), *([] if self._reaper is None else [self._reaper])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._close(list(self._channels))
        await self._network.close()
        self._watchdog.stop()

    # -- declaring ----------------------------------------------------------------------------------------------------------

    async def check(self, declarations: list[Declaration]) -> None:
        """Check that these upstreams could be added.

        Raises:
            UpstreamConfigError: a name is in use or an address is not allowed.
        """
        lowered = {name.lower() for name in self._upstreams}
        for declaration in declarations:
            if declaration.name.lower() in lowered:
                raise UpstreamConfigError(f"there is an upstream {declaration.name!r} already; remove it first")
            if isinstance(declaration.server, UrlServer):
                try:
                    await self._network.check(declaration.server.url)
                except AddressNotAllowed as error:
                    raise UpstreamConfigError(f"{declaration.name}: {error}") from None

    async def declare(self, declarations: list[Declaration]) -> list[Upstream]:
        """Add upstreams while the gateway runs.

        Raises:
            UpstreamConfigError: a name is in use or an address is not allowed; nothing has been added then.
        """
        await self.check(declarations)
        added = [Upstream(declaration, declared_at="control") for declaration in declarations]
        for upstream in added:
            self._add(upstream)
        await self._first_checks(added)
        return added

    async def remove(self, name: str) -> None:
        """Remove an upstream and close its connections.

        Raises:
            UnknownUpstream: there is no such upstream.
        """
        self.get(name)
        task = self._tasks.pop(name)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        del self._upstreams[name]
        await self._close([key for key in self._channels if key.upstream == name])
        log.info("upstream removed", upstream=name)

    def get(self, name: str) -> Upstream:
        """Return an upstream by name.

        Raises:
            UnknownUpstream: the message lists the known upstreams.
        """
        upstream = self._upstreams.get(name)
        if upstream is None:
            raise UnknownUpstream(f"there is no upstream {name!r}; known: {', '.join(self._upstreams) or 'none'}")
        return upstream

    def find(self, name: str) -> Upstream | None:
        """Return the upstream of this name, or None."""
        return self._upstreams.get(name)

    def all(self) -> list[Upstream]:
        """Return every upstream, by name."""
        return [self._upstreams[name] for name in sorted(self._upstreams)]

    def shown_to(self, session: Session) -> list[Upstream]:
        """Return a session's upstreams: all, unless it was created with a choice of apps."""
        chosen = session.record.upstreams
        return [u for u in self.all() if chosen is None or u.name in chosen] if self._upstreams else []

    def names_for(self, record: SessionRecord) -> list[str]:
        """Return the names of a session's upstreams."""
        chosen = record.upstreams
        return [name for name in sorted(self._upstreams) if chosen is None or name in chosen]

    def shown(self, session: Session, name: str) -> Upstream | None:
        """Return the upstream of this name if the session has it."""
        chosen = session.record.upstreams
        return self._upstreams.get(name) if chosen is None or name in chosen else None

    def toolset_of(self, session: Session, app: str | None, seat: Seat | None = None) -> Toolset:
        """Return the toolset of a session or one of its seats, at the shared address (None) or at one app's address.

        Raises:
            AppNotInSession: the session does not have the app.
        """
        shown = self.shown_to(session)
        apps = session.apps if seat is None else seat.apps
        if app is None:
            return self.toolsets.with_upstreams(_shared(session, apps), shown)
        if app in apps:
            return app_toolset(app, session.record.shown, session.record.unavailable)
        if (upstream := self.shown(session, app)) is not None:
            return self.toolsets.alone(upstream)
        raise AppNotInSession(app, [*apps, *(u.name for u in shown)])

    # -- using --------------------------------------------------------------------------------------------------------------

    def channel(self, session_id: str, upstream: Upstream, *, modern: bool | None) -> Channel:
        """Return a session's channel to an upstream, for one kind of revision (None: whichever it supports)."""
        over_http = isinstance(upstream.declaration.server, UrlServer) and upstream.declaration.server.kind == "http"
        key = _Key(session_id, upstream.name, None if over_http else self._era(session_id, upstream, modern))
        channel = self._channels.get(key)
        if channel is None:
            if over_http:
                channel = HttpChannel(upstream, self._network)
            else:
                channel = self._pipe_channel(upstream, key.modern, own=session_id == _OWN)
            self._channels[key] = channel
        return channel

    async def call(self, upstream: Upstream, request: CallRequest) -> CallResult:
        """Call an upstream's tool for a session and record it.

        If the upstream does not answer, the result is an error that names it; nothing is raised.
        """
        session, tool, arguments = request.session, request.tool, request.arguments
        call = UpstreamCall(session, upstream.declaration, tool, arguments, caller=request.caller)
        fault = draw_fault(session.context, upstream_app(upstream), tool, arguments)
        if fault is not None and fault.replaces:
            return call.delivered(_under_fault(fault, None))
        sent = {**request.extra_params, "name": tool}
        if arguments is not None:
            sent["arguments"] = arguments
        try:
            answer = await self.channel(session.id, upstream, modern=None).request("tools/call", sent)
            message = checked_answer(upstream.name, answer)
        except UnknownTransportSession as failure:
            text = str(failure) or f"the upstream {upstream.name!r} ended the session"
            return call.unanswered("unavailable", error_message(None, text))
        except UpstreamFailure as failure:
            if failure.public != str(failure):
                log.warning("an upstream failed", upstream=upstream.name, reason=str(failure))
            return call.unanswered("unavailable", error_message(None, failure.public))
        except asyncio.CancelledError:
            call.unanswered("cancelled", None)
            raise
        upstream.answered()
        if fault is not None:
            return call.delivered(_under_fault(fault, message))
        return call.answered(message)

    def handler(self, upstream: Upstream) -> CallHandler:
        """Return the call handler of an upstream's tools at a shared address."""
        return _UpstreamHandler(self, upstream)

    async def close_session(self, session_id: str) -> None:
        """Close the connections of a session that was deleted or reset."""
        await self._close([key for key in self._channels if key.session == session_id])

    # -- below --------------------------------------------------------------------------------------------------------------

    def _add(self, upstream: Upstream) -> None:
        self._upstreams[upstream.name] = upstream
        own = partial(self.channel, _OWN, upstream, modern=None)
        done = partial(self._let_go, upstream)
        self._tasks[upstream.name] = asyncio.create_task(look_after(upstream, own, done))

    async def _first_checks(self, upstreams: list[Upstream]) -> None:
        """Wait a limited time until each is known to be up or down."""
        try:
            async with asyncio.timeout(_FIRST_CHECK_S):
                for upstream in upstreams:
                    await upstream.checked.wait()
        except TimeoutError:
            slow = [u.name for u in upstreams if not u.checked.is_set()]
            log.warning("upstreams are slow to answer; going on without them", upstreams=slow)

    async def _let_go(self, upstream: Upstream) -> None:
        """Stop the process that only listed its tools."""
        if not isinstance(upstream.declaration.server, UrlServer) or upstream.declaration.server.kind == "sse":
            await self._close([key for key in self._channels if key.session == _OWN and key.upstream == upstream.name])

    def _era(self, session_id: str, upstream: Upstream, modern: bool | None) -> bool | None:
        """Return the kind of revision of a pipe. The gateway's own requests use the session's existing pipe."""
        if modern is not None:
            return modern
        for wanted in (False, True):
            if session_id != _OWN and _Key(session_id, upstream.name, wanted) in self._channels:
                return wanted
        return upstream.modern

    def _pipe_channel(self, upstream: Upstream, modern: bool | None, *, own: bool) -> Channel:
        declaration = upstream.declaration

        def over_stdio(on_message: Callable[[Message], None], on_end: Callable[[str], None]) -> StdioPipe:
            return StdioPipe(declaration, self._watchdog, on_message, on_end)

        def over_sse(on_message: Callable[[Message], None], on_end: Callable[[str], None]) -> SsePipe:
            return SsePipe(declaration, self._network, on_message, on_end)

        opener: OpenPipe = over_stdio if isinstance(declaration.server, CommandServer) else over_sse
        return PipeChannel(upstream, opener, modern=modern, own=own)

    async def _close(self, keys: list[_Key]) -> None:
        channels = [channel for key in keys if (channel := self._channels.pop(key, None)) is not None]
        await asyncio.gather(*(channel.close() for channel in channels))

    async def _close_idle(self) -> None:
        while True:
            await asyncio.sleep(min(_ROUND_S, self._idle_s))
            now = asyncio.get_running_loop().time()
            idle = [k for k, c in self._channels.items() if not c.busy and now - c.used > self._idle_s]
            try:
                await self._close(idle)
            except Exception:
                log.exception("closing idle connections to upstreams failed; trying again in the next round")


def _shared(session: Session, apps: tuple[str, ...]) -> Toolset:
    record = session.record
    has_submit_answer = record.bounds is not None and record.bounds.errand is not None
    return shared_toolset(
        apps, record.tools, record.shown, has_submit_answer=has_submit_answer, unavailable=record.unavailable
    )


@dataclass(frozen=True, slots=True)
class _UpstreamHandler:
    """Handles the tools of one upstream by calling it."""

    upstreams: Upstreams
    upstream: Upstream

    async def handle(self, request: CallRequest) -> CallResult:
        return await self.upstreams.call(self.upstream, request)


def _under_fault(fault: UpstreamFault, message: Message | None) -> Delivery:
    """Apply the session's faults to an answer; None if the upstream was not called."""
    delivery = fault.apply(message)
    return replace(delivery, answer=read_answer(to_message(delivery.answer, message)))
