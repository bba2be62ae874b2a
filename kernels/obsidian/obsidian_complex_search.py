"""The `obsidian_complex_search` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules.query import by_rule
from soundstage.kernels.obsidian.rules.replies import python_json
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Search notes with a JsonLogic rule (`POST /search/`)."""
    return python_json(by_rule(context, arguments["query"]))
