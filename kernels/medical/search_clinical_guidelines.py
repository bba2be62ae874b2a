"""The `search_clinical_guidelines` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.guidelines import SEARCH
from soundstage.kernels.medical.rules.layout import lines, numbered, shown
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search PubMed for clinical guidelines."""
    query, organization = arguments["query"], arguments.get("organization")
    result = remembered(context, SEARCH, {"query": query, "organization": organization})
    if not result.data:
        return nothing("search-clinical-guidelines", arguments, result.line)
    return (
        f'**Clinical Guidelines Search: "{query}"**\n\n'
        + (f"Organization Filter: {organization}\n" if organization else "")
        + f"Found {len(result.data)} guideline(s)\n\n{numbered(map(_entry, result.data))}{result.line}"
    )


def _entry(guideline: Object) -> str:
    return (
        f"**{shown(guideline, 'title')}**\n"
        f"   Organization: {shown(guideline, 'organization')}\n"
        f"   Year: {shown(guideline, 'year')}\n"
        f"   Category: {shown(guideline, 'category')}\n"
        f"   Evidence Level: {shown(guideline, 'evidence_level')}\n"
        f"{lines(('Description', guideline.get('description')))}"
        f"   URL: {shown(guideline, 'url')}\n\n"
    )
