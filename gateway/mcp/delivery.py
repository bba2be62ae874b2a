"""What a face does with an answer that a fault has asked something of: wait, or tell a listening client something."""

from __future__ import annotations

from typing import Any

import anyio
from mcp.server.context import ServerRequestContext

from soundstage.gateway.faults.inject import Delivery


async def deliver(delivery: Delivery, context: ServerRequestContext[Any, Any]) -> None:
    """Wait, and send the notice. Over HTTP the face breaks the connection of a dropped answer; over stdio there is none to
    break, so nothing ever comes.
    """
    if delivery.wait_s:
        await anyio.sleep(delivery.wait_s)
    if delivery.notice is not None:
        await context.session.send_log_message(
            level="notice", data=delivery.notice, logger="user", related_request_id=context.request_id
        )
    if delivery.dropped and context.request is None:
        await anyio.sleep_forever()
