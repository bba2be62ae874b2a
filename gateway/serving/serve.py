"""`soundstage serve` from the listening socket on: one process, or a supervisor with several workers."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from soundstage.gateway.serving.listener import raise_file_limit
from soundstage.gateway.serving.starting import Starting
from soundstage.gateway.settings import Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from soundstage.gateway.upstream.config import Declaration


class Build(Protocol):
    """Builds the application that is served; see `soundstage.gateway.app.build_app`."""

    def __call__(self, settings: Settings, *, warm: bool, declared: Sequence[Declaration]) -> Starlette:
        """Return the gateway's application."""


def serve_on(
    listener: socket.socket,
    settings: Settings,
    build: Build,
    *,
    declared: Sequence[Declaration] = (),
    workers: int = 1,
    worker: str,
    starting: Starting,
) -> int:
    """Serve until a signal ends it. Returns the exit code, 0 if it ended in order.

    `worker` is the module whose `main` a worker process runs: `soundstage.gateway.serving.worker.run` with the same `build`.
    """
    raise_file_limit()
    if workers > 1:
        from soundstage.gateway.serving.supervisor import Supervisor

        starting.go_on()
        return Supervisor(listener, settings, declared, workers, worker).run()
    from soundstage.gateway.serving.server import GatewayServer

    server = GatewayServer(build(settings, warm=True, declared=declared), settings)
    starting.go_on()
    server.run(sockets=[listener])
    return server.exit_code
