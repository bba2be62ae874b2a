"""The `search_medical_journals` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.layout import article_entry, numbered, warnings
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.pages import JOURNAL_SEARCH
from soundstage.kernels.types import Arguments

_ABOUT = (
    "This search retrieves information from top medical journals dynamically.\n\n"
    "**DYNAMIC DATA SOURCES:**\n"
    "• New England Journal of Medicine (NEJM)\n"
    "• Journal of the American Medical Association (JAMA)\n"
    "• The Lancet\n"
    "• British Medical Journal (BMJ)\n"
    "• Nature Medicine"
)


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search five major journals through Google Scholar, which never yields results."""
    query = arguments["query"]
    result = remembered(context, JOURNAL_SEARCH, {"query": query})
    if not result.data:
        return nothing("search-medical-journals", arguments, result.line)
    return (
        f'**Top Medical Journals Search: "{query}"**\n\nFound {len(result.data)} article(s) from top medical journals\n\n'
        f"{numbered(map(article_entry, result.data))}{warnings(_ABOUT)}{result.line}"
    )
