"""The `obsidian_get_periodic_note` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules.rest import Request
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the current daily, weekly, monthly, quarterly or yearly note (`GET /periodic/{period}/`)."""
    as_note = arguments.get("type", "content") == "metadata"
    return Request(context, as_note=as_note).send("GET", f"/periodic/{arguments['period']}/")
