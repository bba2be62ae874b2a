"""The `obsidian_simple_search` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules.query import entered
from soundstage.kernels.obsidian.rules.replies import python_json
from soundstage.kernels.obsidian.rules.search import simple_search
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Search all notes for words (`POST /search/simple/`)."""
    return python_json(simple_search(entered(context), arguments["query"], arguments.get("context_length", 100)))
