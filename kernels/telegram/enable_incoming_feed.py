"""The `enable_incoming_feed` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.telegram.rules import feed
from soundstage.kernels.telegram.rules.server import server_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Start writing settled private messages to a file, or restart with another settling time."""
    server = server_of(context)
    feed.catch_up(server)
    feed.touch(server)
    current, settle_ms = feed.of(server), arguments["settle_ms"]
    if not current.is_on or current.settle_ms != settle_ms:
        feed.turn(server, on=True, settle_ms=settle_ms)
        feed.catch_up(server)
    return feed.state(server)
