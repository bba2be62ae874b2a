"""The `search_drugs` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import SPACES
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.fda import SEARCH_DRUGS, first_of
from soundstage.kernels.medical.rules.layout import cut, numbered, shown
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.types import Arguments

_GENERIC = ("medication", "medicine", "drug", "pill", "tablet", "capsule")
_GENERIC_ADVICE = (
    "This appears to be a generic term rather than a specific drug name. Please search for a specific medication name "
    '(e.g., "aspirin", "ibuprofen", "metformin").'
)


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search openFDA's drug labels by brand, generic name or substance."""
    query = arguments["query"]
    result = remembered(context, SEARCH_DRUGS, {"query": query, "limit": arguments["limit"]})
    if not result.data:
        if query.lower().strip(SPACES) in _GENERIC:
            return NothingFound(f'No drugs found for "{query}". {_GENERIC_ADVICE}{result.line}')
        return nothing("search-drugs", arguments, result.line)
    return (
        f'**Drug Search Results for "{query}"**\n\nFound {len(result.data)} drug(s)\n\n'
        f"{numbered(map(_entry, result.data))}{result.line}"
    )


def _entry(label: Object) -> str:
    purpose = label.get("purpose")
    return (
        f"**{first_of(label, 'brand_name') or 'Unknown Brand'}**\n"
        f"   Generic Name: {first_of(label, 'generic_name') or 'Not specified'}\n"
        f"   Manufacturer: {first_of(label, 'manufacturer_name') or 'Not specified'}\n"
        f"   Route: {first_of(label, 'route') or 'Not specified'}\n"
        f"   Dosage Form: {first_of(label, 'dosage_form') or 'Not specified'}\n"
        + (f"   Purpose: {cut(purpose[0], 200)}\n" if purpose else "")
        + f"   Last Updated: {shown(label, 'effective_time')}\n\n"
    )
