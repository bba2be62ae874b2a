"""The `obsidian_get_recent_periodic_notes` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules.limits import positive
from soundstage.kernels.obsidian.rules.rest import Request
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Request recent periodic notes from a route that the REST API does not have, as the real server does."""
    positive(arguments, "limit", 5)
    return Request(context).send("GET", f"/periodic/{arguments['period']}/recent")
