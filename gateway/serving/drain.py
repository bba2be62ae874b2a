"""Ending connections so that no request breaks: what came in is answered, and what is answered says that it was the last.

uvicorn by itself closes every idle connection at once, also one on which a request is just arriving.
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
"""How long open calls may take to finish."""
_GRACE_S = 1.0  # a client that has not heard yet may send a request for so long
_LOOK_S = 0.02
_CANCELLED_S = 1.0
_CLOSE = (b"connection", b"close")


async def serve_out(state: ServerState, *, arriving: Callable[[], bool], forced: Callable[[], bool]) -> None:
    """Serve the open connections until each is closed, for at most `LIMIT_S`; what still runs then is cancelled.

    Every response from now on ends its connection and says so. A connection on which nothing happens is closed after
    a grace. `arriving` says whether connections may still be added, `forced` whether to stop waiting.
    """
    headers = [*state.default_headers, _CLOSE]
    state.default_headers = headers
    connections = cast("set[GatewayProtocol]", state.connections)
    for connection in connections:
        # Of requests sent one after the other without waiting, the newest: those before it are answered, too.
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
        await asyncio.sleep(_LOOK_S)
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
    """Whether a request is being answered, or its head has come in part."""
    return connection.answering or (connection.scope is not None and connection.awaits_head)


def _readable(connection: GatewayProtocol) -> bool:
    """Whether something has come in that the event loop has not read yet."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    with contextlib.suppress(OSError, ValueError):
        poll.register(connection.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(poll.poll(0))
    return False
