"""incoming_feed_status: whether the feed runs, and where its file is."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.telegram.rules import feed
from soundstage.kernels.telegram.rules.server import server_of
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    server = server_of(context)
    feed.catch_up(server)
    return feed.state(server)
