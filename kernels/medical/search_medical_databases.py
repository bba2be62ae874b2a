"""The `search_medical_databases` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.layout import article_entry, numbered, warnings
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.pages import DATABASE_SEARCH
from soundstage.kernels.types import Arguments

_ABOUT = (
    "This comprehensive search retrieves information from multiple medical databases dynamically.\n\n"
    "**DYNAMIC DATA SOURCES:**\n"
    "• PubMed (National Library of Medicine)\n"
    "• Google Scholar (Academic search)\n"
    "• Cochrane Library (Systematic reviews)\n"
    "• ClinicalTrials.gov (Clinical trials)"
)


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search PubMed, Cochrane and ClinicalTrials.gov together (and Google Scholar, which never yields results)."""
    query = arguments["query"]
    result = remembered(context, DATABASE_SEARCH, {"query": query})
    if not result.data:
        return nothing("search-medical-databases", arguments, result.line)
    return (
        f'**Comprehensive Medical Database Search: "{query}"**\n\n'
        f"Found {len(result.data)} article(s) across multiple databases\n\n"
        f"{numbered(map(article_entry, result.data))}{warnings(_ABOUT)}{result.line}"
    )
