"""Close connections without breaking requests: received requests are answered, and the response announces that it is the last.

uvicorn itself closes every idle connection at once, even one on which a request is just arriving.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from uvicorn.server import ServerState

if TYPE_CHECKING:
    from soundstage.gateway.serving.protocol import GatewayProtocol

LIMIT_S = 5.0
"""Seconds that open calls may take to finish."""
_GRACE_S = 1.0  # a client that has not seen the announcement may still send a request for this time
_CHECK_S = 0.02
_CANCELLED_S = 1.0
_CLOSE = (b"connection", b"close")


async def serve_out(state: ServerState, *, arriving: Callable[[], bool], forced: Callable[[], bool]) -> None:
    """Serve the open connections until each is closed, for at most `LIMIT_S`; then cancel the rest.

    Every response now ends its connection and announces it. An idle connection is closed after a grace period. `arriving`
    returns whether connections may still be added, `forced` whether to stop waiting.
    """
    headers = [*state.default_headers, _CLOSE]
    state.default_headers = headers
    connections = cast("set[GatewayProtocol]", state.connections)
    for connection in connections:
        # With pipelined requests, the newest: earlier ones are answered, too.
        cycle = connection.cycle
        if cycle is not None and not cycle.response_started:
            cycle.default_headers = headers
    clock = asyncio.get_running_loop().time
    end = clock() + LIMIT_S
    idle_since: dict[GatewayProtocol, float] = {}
    while (connections or state.tasks or arriving()) and not forced() and clock() < end:
        now = clock()
        for connection in list(connections):
            if _busy(connection):
                idle_since.pop(connection, None)
            elif now - idle_since.setdefault(connection, now) >= _GRACE_S and not _readable(connection):
                connection.shutdown()
        await asyncio.sleep(_CHECK_S)
    await _cancel(state)


async def _cancel(state: ServerState) -> None:
    tasks = list(state.tasks)
    for task in tasks:
        task.cancel(msg="the gateway ends")
    if tasks:
        await asyncio.wait(tasks, timeout=_CANCELLED_S)
    for connection in list(state.connections):
        if connection.transport is not None:
            connection.transport.close()


def _busy(connection: GatewayProtocol) -> bool:
    """Whether a request is being answered, or a part of its head has arrived."""
    return connection.answering or (connection.scope is not None and connection.awaits_head)


def _readable(connection: GatewayProtocol) -> bool:
    """Whether data has arrived that the event loop has not read yet."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    with contextlib.suppress(OSError, ValueError):
        poll.register(connection.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(poll.poll(0))
    return False
