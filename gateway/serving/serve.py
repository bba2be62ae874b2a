"""`soundstage serve` from the listening socket on: one process, or several workers and the one that starts them."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING

from soundstage.gateway.serving.listener import raise_file_limit
from soundstage.gateway.settings import Settings

if TYPE_CHECKING:
    from soundstage.gateway.upstream.config import Declaration


def serve_on(
    listener: socket.socket, settings: Settings, *, declared: Sequence[Declaration] = (), workers: int = 1
) -> int:
    """Serve until a signal ends it; returns the exit code, 0 when it ended in order."""
    raise_file_limit()
    if workers > 1:
        from soundstage.gateway.serving.supervisor import Supervisor

        return Supervisor(listener, settings, declared, workers).run()
    from soundstage.gateway.app import build_app
    from soundstage.gateway.serving.server import GatewayServer

    server = GatewayServer(build_app(settings, warm=True, declared=declared))
    server.run(sockets=[listener])
    return server.exit_code
