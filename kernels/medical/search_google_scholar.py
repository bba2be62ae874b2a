"""The `search_google_scholar` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.layout import article_entry, numbered
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.pages import SCHOLAR_SEARCH
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search Google Scholar; the server discards the results, so nothing is ever found."""
    query = arguments["query"]
    result = remembered(context, SCHOLAR_SEARCH, {"query": query})
    if not result.data:
        return nothing("search-google-scholar", arguments, result.line)
    return (
        f'**Academic Research Search: "{query}"**\n\nFound {len(result.data)} article(s)\n\n'
        f"{numbered(map(article_entry, result.data))}{result.line}"
    )
