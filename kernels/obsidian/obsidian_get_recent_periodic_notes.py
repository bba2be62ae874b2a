"""List the newest periodic notes: the MCP server asks for a route that the REST API does not have."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules.limits import positive
from soundstage.kernels.obsidian.rules.rest import Request
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    positive(arguments, "limit", 5)
    return Request(context).send("GET", f"/periodic/{arguments['period']}/recent")
