"""The `notion_search` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.notion.rules.search import search
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Search pages and data sources by title, as the API does."""
    listing = search(context, arguments, arguments.get("filter"), arguments.get("sort"))
    return answer(context, arguments, listing, long_lists=True)
