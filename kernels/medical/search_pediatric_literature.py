"""The `search_pediatric_literature` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.layout import numbered, pubmed_entry, warnings
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.pubmed import PEDIATRIC_SEARCH
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search seven pediatric journals in PubMed."""
    query = arguments["query"]
    result = remembered(context, PEDIATRIC_SEARCH, {"query": query, "maxResults": arguments["max_results"]})
    if not result.data:
        return nothing("search-pediatric-literature", arguments, result.line)
    entries = numbered(pubmed_entry(article, with_text=False) for article in result.data)
    return (
        f'**Pediatric Journal Articles: "{query}"**\n\n'
        f"Found {len(result.data)} article(s) from major pediatric journals\n\n{entries}"
        + warnings("Pediatric journal articles are retrieved dynamically from PubMed.\n")
        + result.line
    )
