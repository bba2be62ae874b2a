"""The `disable_incoming_feed` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.telegram.rules import feed
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import server_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Stop writing to the feed's file."""
    server = server_of(context)
    feed.catch_up(server)
    current = feed.of(server)
    if not current.is_on:
        raise Refusal("invalid", "Incoming feed is not enabled.")
    feed.turn(server, on=False, settle_ms=current.settle_ms)
    return "Incoming feed disabled."
