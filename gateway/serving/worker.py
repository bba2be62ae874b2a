"""One worker: a gateway in a separate process that receives its connections from the supervisor.

`gateway/serving/supervisor.py` starts it. It shuts down on a message, on SIGTERM, and when the supervisor is gone. The keyboard
interrupt, which reaches every process of a terminal, is handled by the supervisor alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
from collections.abc import Coroutine
from dataclasses import replace
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette

from soundstage.gateway import log
from soundstage.gateway.serving.listener import listen
from soundstage.gateway.serving.merge import MetricsMerge
from soundstage.gateway.serving.messages import FromWorker, ToWorker, receive, receive_start, send
from soundstage.gateway.serving.serve import Build
from soundstage.gateway.serving.server import GatewayServer
from soundstage.gateway.serving.watchdog import WORKER_S
from soundstage.gateway.settings import Settings, own_address

_AT_ONCE = 128  # connections accepted in a row before other work runs
_LOOPBACK = "127.0.0.1"


def run(build: Build) -> None:
    """Serve as the worker that the supervisor describes, over the two sockets whose numbers end the command line."""
    gc.disable()  # as in the `soundstage` command: the start creates many objects and no garbage
    log.configure(level="info")
    signal.signal(signal.SIGINT, lambda number, frame: None)  # SIG_IGN would be inherited by upstreams
    control, arrivals = (socket.socket(fileno=int(number)) for number in sys.argv[-2:])
    for channel in (control, arrivals):
        channel.set_inheritable(False)
    try:
        start = receive_start(control)
    except EOFError:
        return
    host = urlsplit(start.settings.advertise or "").hostname or _LOOPBACK
    listener = listen(host, 0)
    address = own_address(host, listener.getsockname()[1])
    share = start.settings.share
    log.configure(level="info", worker=share.index)
    settings = replace(start.settings, advertise=address)
    app = build(settings, warm=True, declared=start.declared)
    app.state.merge_metrics = merge = MetricsMerge(share.index, share.of, start.key)
    server = WorkerServer(app, settings, address, merge, control, arrivals)
    server.run(sockets=[listener])
    sys.exit(server.exit_code)


class WorkerServer(GatewayServer):
    """Serves connections that arrive through `arrivals`, and requests of other workers to `address`."""

    blocked_s = WORKER_S

    def __init__(
        self,
        app: Starlette,
        settings: Settings,
        address: str,
        merge: MetricsMerge,
        control: socket.socket,
        arrivals: socket.socket,
    ) -> None:
        super().__init__(app, settings)
        self._address = address
        self._merge = merge
        self._control = control
        self._arrivals: socket.socket | None = arrivals
        self._tasks: set[asyncio.Task[None]] = set()
        self._to_supervisor: asyncio.StreamWriter | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the server, accept connections from peers, and report to the supervisor."""
        await super().startup(sockets)
        assert self._arrivals is not None
        self._arrivals.setblocking(False)
        asyncio.get_running_loop().add_reader(self._arrivals.fileno(), self._arrive)
        reader, self._to_supervisor = await asyncio.open_unix_connection(sock=self._control)
        self._keep(self._obey(reader))
        send(self._to_supervisor, FromWorker(address=self._address))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Report the end to the supervisor, then shut down."""
        if self._to_supervisor is not None:
            send(self._to_supervisor, FromWorker(ending=True))
        await super().shutdown(sockets)

    def arriving(self) -> bool:
        """Whether peers can still send connections."""
        return self._arrivals is not None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end on the first signal other than an interrupt."""
        # The signal may arrive twice, directly and through the supervisor: only the supervisor's forces the end.
        if sig != signal.SIGINT and not self.should_exit:
            super().handle_exit(sig, frame)

    async def _obey(self, reader: asyncio.StreamReader) -> None:
        async for command in receive(reader):
            message: ToWorker = command
            if "peers" in message:
                self._merge.peers = {int(index): address for index, address in message["peers"].items()}
            if "end" in message:
                self.handle_exit(signal.SIGTERM, None)
                self.force_exit = message["end"] == "at once"
        self.handle_exit(signal.SIGTERM, None)

    def _arrive(self) -> None:
        """Accept the connections that were handed over."""
        for _ in range(_AT_ONCE):
            assert self._arrivals is not None
            try:
                mark, descriptors, _, _ = socket.recv_fds(self._arrivals, 1, 1)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                mark, descriptors = b"", []
            if not mark:
                asyncio.get_running_loop().remove_reader(self._arrivals.fileno())
                self._arrivals.close()
                self._arrivals = None
                return
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
                self._keep(self._serve_connection(socket.socket(fileno=descriptor)))

    async def _serve_connection(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        loop = asyncio.get_running_loop()

        def protocol() -> asyncio.Protocol:  # as `uvicorn.Server.startup` does for its own connections
            made: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]
                config=self.config, server_state=self.server_state, app_state=self.lifespan.state, _loop=loop
            )
            return made

        try:
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await loop.connect_accepted_socket(protocol, connection)
        except OSError:  # the client has disconnected
            connection.close()

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
