"""Health checks of one upstream: list its tools at the start and after events, with growing intervals."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from soundstage.gateway.log import log
from soundstage.gateway.upstream.config import UrlServer
from soundstage.gateway.upstream.http_channel import UnknownTransportSession
from soundstage.gateway.upstream.messages import UpstreamFailure
from soundstage.gateway.upstream.upstream import Channel, Upstream

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
_LOOK_AGAIN_S = 60.0
_MAX_PAGES = 100


async def look_after(
    upstream: Upstream, own_channel: Callable[[], Channel], done: Callable[[], Awaitable[None]]
) -> None:
    """Update an upstream's state and tools, forever.

    `own_channel` is the gateway's own channel to it; `done` is called after each check, to release it.
    """
    loop = asyncio.get_running_loop()
    pause_s = FIRST_PAUSE_S
    # An address can be checked periodically; a process would have to be started only for that.
    look_again_s = _LOOK_AGAIN_S if isinstance(upstream.declaration.server, UrlServer) else None
    while True:
        upstream.check_wanted.clear()
        channel, upstream.changed_by = upstream.changed_by or own_channel(), None
        wait_s: float | None = look_again_s
        try:
            upstream.came_up(await list_tools(channel))
            pause_s = FIRST_PAUSE_S
        except UpstreamFailure as failure:
            upstream.went_down(str(failure), loop.time() + pause_s)
            wait_s, pause_s = pause_s, min(LONGEST_PAUSE_S, 2 * pause_s)
        except Exception:
            log.exception("looking after an upstream failed", upstream=upstream.name)
            upstream.went_down("an internal error; the gateway's log has the details", loop.time() + pause_s)
            wait_s, pause_s = pause_s, min(LONGEST_PAUSE_S, 2 * pause_s)
        finally:
            await done()
        try:
            async with asyncio.timeout(wait_s):
                await upstream.check_wanted.wait()
        except TimeoutError:
            pass


async def list_tools(channel: Channel) -> list[dict[str, Any]]:
    """Return all pages of an upstream's list.

    Raises:
        UpstreamFailure: there is no valid list.
    """
    definitions: list[dict[str, Any]] = []
    cursors: set[str] = set()
    params: dict[str, Any] = {}
    for _ in range(_MAX_PAGES):
        try:
            answer = await channel.request("tools/list", params)
        except UnknownTransportSession:
            raise UpstreamFailure("the upstream ends its sessions at once") from None
        if "error" in answer:
            if _offers_none(answer):
                return definitions
            raise UpstreamFailure(f"tools/list was refused: {answer['error']}")
        result = answer.get("result")
        tools = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(result, dict) or not isinstance(tools, list) or not all(isinstance(t, dict) for t in tools):
            raise UpstreamFailure("tools/list returned an invalid tool list")
        definitions += tools
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str) or cursor in cursors:
            return definitions
        cursors.add(cursor)
        params = {"cursor": cursor}
    return definitions


def _offers_none(answer: dict[str, Any]) -> bool:
    """Whether a server has no tools and therefore rejects the method; its prompts and resources are served all the same."""
    error = answer["error"]
    return isinstance(error, dict) and error.get("code") == -32601
