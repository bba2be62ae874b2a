"""The `search_medical_literature` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.layout import numbered, pubmed_entry
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.pubmed import SEARCH
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search PubMed."""
    query = arguments["query"]
    result = remembered(context, SEARCH, {"query": query, "max_results": arguments["max_results"]})
    if not result.data:
        return nothing("search-medical-literature", arguments, result.line)
    entries = numbered(pubmed_entry(article, with_text=True) for article in result.data)
    return f'**Medical Literature Search: "{query}"**\n\nFound {len(result.data)} article(s)\n\n{entries}{result.line}'
