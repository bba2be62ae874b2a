"""The `search_drug_nomenclature` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.layout import numbered, shown
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.rxnorm import SEARCH
from soundstage.kernels.types import Arguments

_MOST_SYNONYMS = 3


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search RxNorm's drug names."""
    query = arguments["query"]
    result = remembered(context, SEARCH, {"query": query})
    if not result.data:
        return nothing("search-drug-nomenclature", arguments, result.line)
    return (
        f'**RxNorm Drug Search: "{query}"**\n\nFound {len(result.data)} drug(s)\n\n'
        f"{numbered(map(_entry, result.data))}{result.line}"
    )


def _entry(concept: Object) -> str:
    synonyms = concept.get("synonym") or []
    more = "..." if len(synonyms) > _MOST_SYNONYMS else ""
    return (
        f"**{shown(concept, 'name')}**\n"
        f"   RxCUI: {shown(concept, 'rxcui')}\n"
        f"   Term Type: {shown(concept, 'tty')}\n"
        f"   Language: {shown(concept, 'language')}\n"
        + (f"   Synonyms: {', '.join(synonyms[:_MOST_SYNONYMS])}{more}\n" if synonyms else "")
        + "\n"
    )
