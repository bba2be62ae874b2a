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
    found = remembered(context, SEARCH, {"query": query, "max_results": arguments["max_results"]})
    if not found.data:
        return nothing("search-medical-literature", arguments, found.line)
    entries = numbered(pubmed_entry(article, with_text=True) for article in found.data)
    return f'**Medical Literature Search: "{query}"**\n\nFound {len(found.data)} article(s)\n\n{entries}{found.line}'
