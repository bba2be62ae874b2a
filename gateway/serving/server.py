"""uvicorn's server with an orderly shutdown: see `shutdown`."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Awaitable, Iterator
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from uvicorn.server import HANDLED_SIGNALS

from soundstage.contexts.engine.budget import interrupt_runs
from soundstage.gateway.log import log
from soundstage.gateway.serving.drain import serve_out
from soundstage.gateway.serving.listener import turn_away
from soundstage.gateway.serving.protocol import GatewayProtocol, RequestTimeouts
from soundstage.gateway.serving.watchdog import ALONE_S, Watchdog
from soundstage.gateway.settings import Settings

FORCED = 1
"""Exit code of a process that was forced to end during its shutdown."""
_TELL_S = 2.0
_LAST_HANDSHAKES_S = 0.1
_KEPT_S = 75
"""Seconds that a connection stays open without a request. Clients and proxies use 4 to 60 s; the side that waits longer never
closes a connection on which a request is on its way.
"""
_CHECK_S = 0.05
_LOOK_AT_CONNECTIONS_TICKS = 5  # uvicorn ticks ten times a second


class GatewayServer(uvicorn.Server):
    """Serves the gateway's application until SIGTERM or SIGINT; a second signal ends it at once."""

    blocked_s = ALONE_S
    """Seconds of CPU after which the process ends if its event loop is blocked."""

    def __init__(self, app: Starlette, settings: Settings) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=GatewayProtocol,
                timeout_keep_alive=_KEPT_S,
                log_config=None,
                access_log=False,
                server_header=False,
            )
        )
        self._application = app
        self._patience = RequestTimeouts(settings.head_s, settings.body_s)
        self._watchdog = Watchdog(self.blocked_s)

    @property
    def exit_code(self) -> int:
        """The exit code of the process."""
        return FORCED if self.force_exit else 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the server and the watchdog."""
        await super().startup(sockets)
        self._watchdog.start()

    async def on_tick(self, counter: int) -> bool:
        """Check the timeouts of connections every few ticks."""
        if counter % _LOOK_AT_CONNECTIONS_TICKS == 0:
            self._patience.look(self.server_state.connections, asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while serving. uvicorn's version raises them again at the end, which looks like a failure."""
        if threading.current_thread() is not threading.main_thread():
            yield  # only the main thread may handle signals
            return
        before = {number: signal.signal(number, self.handle_exit) for number in HANDLED_SIGNALS}
        interrupt_runs()
        try:
            yield
        finally:
            self._watchdog.stop()
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; a second signal forces it."""
        if self.should_exit:
            self.force_exit = True
        super().handle_exit(sig, frame)  # also ends the event streams of web pages

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down in order: notify the application, reject new connections, finish open ones, close contexts."""
        log.info("ending: open calls are finished")
        await self._unless_forced(self._tell_application())
        for listener in sockets or []:
            turn_away(listener)
        await asyncio.sleep(_LAST_HANDSHAKES_S)
        for server in self.servers:
            server.close()
        for listener in sockets or []:
            listener.close()
        await serve_out(self.server_state, arriving=self.arriving, forced=lambda: self.force_exit)
        await self._unless_forced(self.lifespan.shutdown())

    def arriving(self) -> bool:
        """Whether connections may still be handed over, though no socket listens any more."""
        return False

    async def _unless_forced(self, work: Awaitable[None]) -> None:
        """Wait for a part of the shutdown, until it is forced."""
        task = asyncio.ensure_future(work)
        while not task.done() and not self.force_exit:
            await asyncio.wait({task}, timeout=_CHECK_S)
        if task.done():
            await task
        else:
            task.cancel()

    async def _tell_application(self) -> None:
        """Notify the application of the shutdown. An error in it must not stop the rest of the shutdown."""
        try:
            async with asyncio.timeout(_TELL_S):
                await self._application.state.drain()
        except Exception:
            log.exception("the gateway could not make known that it ends")
