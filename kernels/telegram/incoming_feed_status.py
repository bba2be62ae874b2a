"""The `incoming_feed_status` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.telegram.rules import feed
from soundstage.kernels.telegram.rules.server import server_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return whether the feed runs, and where its file is."""
    server = server_of(context)
    feed.catch_up(server)
    return feed.state(server)
